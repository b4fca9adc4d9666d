/* A stand-in for NVIDIA's management library, for tests on machines without a GPU.
 *
 * What it plays stands in the file `scenario` of its directory and is read anew at every call, so
 * that it can change under way. One `key=value` a line; a key may end in the index of a GPU and
 * then counts for that one alone (`mode1=lost`):
 *
 *   init=CODE       what the initialisation returns
 *   gpus=N          number of GPUs
 *   mode=WORD       idle busy phantom video spin lost reset denied unknown
 *   gpm=0|1         profiling, as on Hopper
 *   mig=0|1         partitioned: slices of 1g.10gb with GPU instances 9 and 11 and a hole between
 *   named=0|1       the slices have UUIDs in the old form, with their GPU instance
 *   pids=A,B        compute processes; in slices, A in the first and B in the second
 *   xid=CODE        an XID event, once
 *
 * Every call appends its name to the file `calls`. The directory is compiled in (DIRECTORY) or
 * named by the variable NVML_STUB_DIR. With WITHOUT_ERRORS, WITHOUT_MEMORY or WITHOUT_SHUTDOWN
 * those functions are missing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef int result;
enum { OK = 0, BAD = 2, UNSUPPORTED = 3, DENIED = 4, NOT_FOUND = 6, SMALL = 7, TIMEOUT = 10,
       LOST = 15, RESET = 16, UNKNOWN = 999 };

typedef struct { unsigned index; int slice; } device; /* slice: -1 for a whole GPU */
static device whole[64], slices[64][3];
static const unsigned instance_of[3] = {9, 0, 11}; /* the second place is a hole */
static int xid_told;

static const char *directory(void) {
#ifdef DIRECTORY
    return DIRECTORY;
#else
    const char *d = getenv("NVML_STUB_DIR");
    return d ? d : ".";
#endif
}

static int lookup(const char *key, char *out, size_t size) {
    char path[4096], line[512];
    size_t n = strlen(key);
    int found = 0;
    snprintf(path, sizeof path, "%s/scenario", directory());
    FILE *f = fopen(path, "r");
    if (!f) return 0;
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, key, n) || line[n] != '=') continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(out, size, "%s", line + n + 1);
        found = 1;
    }
    fclose(f);
    return found;
}

static void of(const device *d, const char *key, char *out, size_t size, const char *otherwise) {
    char own[64];
    snprintf(own, sizeof own, "%s%u", key, d->index);
    if (!lookup(own, out, size) && !lookup(key, out, size)) snprintf(out, size, "%s", otherwise);
}

static long number(const char *key, long otherwise) {
    char word[64];
    return lookup(key, word, sizeof word) ? strtol(word, 0, 0) : otherwise;
}

static long number_of(const device *d, const char *key, long otherwise) {
    char word[64];
    of(d, key, word, sizeof word, "");
    return *word ? strtol(word, 0, 0) : otherwise;
}

static int is(const device *d, const char *mode) {
    char word[64];
    of(d, "mode", word, sizeof word, "idle");
    return !strcmp(word, mode);
}

static void note(const char *function) {
    char path[4096];
    snprintf(path, sizeof path, "%s/calls", directory());
    FILE *f = fopen(path, "a");
    if (f) { fprintf(f, "%s\n", function); fclose(f); }
}

/* What a call to a device returns before anything else. */
static result gate(const device *d) {
    if (d->slice >= 0 && !number_of(d, "mig", 0)) return BAD; /* partitioned anew: a stale handle */
    if (is(d, "lost")) return LOST;
    if (is(d, "reset")) return RESET;
    if (is(d, "denied")) return DENIED;
    if (is(d, "unknown")) return UNKNOWN;
    return OK;
}

#define CALL(d) do { note(__func__ + 4); result r_ = gate(d); if (r_) return r_; } while (0)
#define NOTE() note(__func__ + 4)

/* Whole GPUs that are partitioned, and slices, have no utilisation. */
static int split(const device *d) { return d->slice >= 0 || number_of(d, "mig", 0); }
static int works(const device *d) { return is(d, "busy") || is(d, "spin"); }

EXPORT result nvmlInit_v2(void) {
    NOTE();
    for (unsigned i = 0; i < 64; i++) {
        whole[i].index = i; whole[i].slice = -1;
        for (int s = 0; s < 3; s++) { slices[i][s].index = i; slices[i][s].slice = s; }
    }
    return (result)number("init", OK);
}
EXPORT result nvmlInitWithFlags(unsigned flags) { (void)flags; return nvmlInit_v2(); }
#ifndef WITHOUT_SHUTDOWN
EXPORT result nvmlShutdown(void) { NOTE(); return OK; }
#endif
EXPORT result nvmlSystemGetDriverVersion(char *s, unsigned n) {
    NOTE(); snprintf(s, n, "590.48.01"); return OK;
}
EXPORT result nvmlDeviceGetCount_v2(unsigned *c) { NOTE(); *c = (unsigned)number("gpus", 1); return OK; }
EXPORT result nvmlDeviceGetHandleByIndex_v2(unsigned i, device **d) {
    NOTE();
    if (i >= (unsigned)number("gpus", 1)) return BAD;
    *d = &whole[i];
    return OK;
}
EXPORT result nvmlDeviceGetName(device *d, char *s, unsigned n) {
    CALL(d);
    snprintf(s, n, d->slice < 0 ? "NVIDIA H100 80GB HBM3" : "NVIDIA H100 80GB HBM3 MIG 1g.10gb");
    return OK;
}
EXPORT result nvmlDeviceGetUUID(device *d, char *s, unsigned n) {
    CALL(d);
    if (d->slice < 0) snprintf(s, n, "GPU-5eed0000-0000-4000-8000-%012u", d->index);
    else if (number("named", 0))
        snprintf(s, n, "MIG-GPU-5eed0000-0000-4000-8000-%012u/%u/0", d->index, instance_of[d->slice]);
    else snprintf(s, n, "MIG-5eed0000-0000-5000-8000-%08u%04d", d->index, d->slice);
    return OK;
}
typedef struct { char legacy[16]; unsigned domain, bus, device, id, subsystem; char bus_id[32]; } pci;
EXPORT result nvmlDeviceGetPciInfo_v3(device *d, pci *p) {
    CALL(d);
    memset(p, 0, sizeof *p);
    snprintf(p->legacy, sizeof p->legacy, "0000:00:%02X.0", 16 + d->index);
    snprintf(p->bus_id, sizeof p->bus_id, "00000000:00:%02X.0", 16 + d->index);
    return OK;
}
typedef struct { unsigned gpu, memory; } rates;
EXPORT result nvmlDeviceGetUtilizationRates(device *d, rates *u) {
    CALL(d);
    if (split(d)) return UNSUPPORTED;
    u->gpu = works(d) ? 97 : is(d, "phantom") ? 100 : is(d, "video") ? 7 : 0;
    u->memory = works(d) ? 41 : 0;
    return OK;
}
static result coder(device *d, unsigned *u, unsigned *period, unsigned value) {
    if (split(d)) return UNSUPPORTED;
    *u = is(d, "video") ? value : 0;
    *period = 167000;
    return OK;
}
EXPORT result nvmlDeviceGetEncoderUtilization(device *d, unsigned *u, unsigned *p) { CALL(d); return coder(d, u, p, 69); }
EXPORT result nvmlDeviceGetDecoderUtilization(device *d, unsigned *u, unsigned *p) { CALL(d); return coder(d, u, p, 12); }
#ifndef WITHOUT_MEMORY
typedef struct { unsigned version; unsigned long long total, reserved, free, used; } memory;
EXPORT result nvmlDeviceGetMemoryInfo_v2(device *d, memory *m) {
    CALL(d);
    unsigned long long mib = 1ULL << 20;
    m->total = (d->slice < 0 ? 81559 : 9984) * mib;
    m->reserved = (d->slice < 0 ? 479 : 16) * mib;
    m->used = (works(d) ? (d->slice < 0 ? 57344 : 8192) : d->slice < 0 ? 0 : 13) * mib;
    m->free = m->total - m->reserved - m->used;
    return OK;
}
#endif
EXPORT result nvmlDeviceGetPowerUsage(device *d, unsigned *p) {
    CALL(d);
    *p = is(d, "busy") ? 612345 : is(d, "spin") ? 131000 : is(d, "phantom") ? 145000 : 71234;
    return OK;
}
EXPORT result nvmlDeviceGetEnforcedPowerLimit(device *d, unsigned *p) { CALL(d); *p = 700000; return OK; }
EXPORT result nvmlDeviceGetTotalEnergyConsumption(device *d, unsigned long long *e) { CALL(d); *e = 123456789ULL; return OK; }
EXPORT result nvmlDeviceGetTemperature(device *d, int sensor, unsigned *t) { CALL(d); (void)sensor; *t = works(d) ? 66 : 31; return OK; }
EXPORT result nvmlDeviceGetClockInfo(device *d, int kind, unsigned *c) { CALL(d); *c = kind == 2 ? 2619 : works(d) ? 1980 : 345; return OK; }
EXPORT result nvmlDeviceGetMaxClockInfo(device *d, int kind, unsigned *c) { CALL(d); *c = kind == 2 ? 2619 : 1980; return OK; }
EXPORT result nvmlDeviceGetCurrentClocksThrottleReasons(device *d, unsigned long long *r) { CALL(d); *r = works(d) ? 4 : 1; return OK; }
#ifndef WITHOUT_ERRORS
EXPORT result nvmlDeviceGetTotalEccErrors(device *d, int kind, int counter, unsigned long long *n) { CALL(d); *n = kind == 1 && counter == 0 ? 3 : 0; return OK; }
#endif
EXPORT result nvmlDeviceGetPcieThroughput(device *d, int kind, unsigned *v) { CALL(d); *v = kind == 0 ? 1000 : 2000; return OK; }

typedef struct { unsigned field, scope; long long at, latency; int type; result code; union { double d; unsigned u; unsigned long long ull; } value; } field;
EXPORT result nvmlDeviceGetFieldValues(device *d, int n, field *f) {
    CALL(d);
    for (int i = 0; i < n; i++) {
        f[i].at = 1; f[i].latency = 1; f[i].type = 1; f[i].code = OK;
        switch (f[i].field) {
        case 82: f[i].value.u = 44; break;    /* memory temperature */
        case 145: f[i].value.u = 0; break;    /* row remapping failed */
        default: f[i].code = UNSUPPORTED;
        }
    }
    return OK;
}

typedef struct { unsigned pid; unsigned long long used; unsigned gpu_instance, compute_instance; } process;
/* The processes of a device: how many, and the first ones. */
static unsigned running(device *d, unsigned room, process *out) {
    char list[256], *at = list;
    unsigned n = 0, place = 0;
    of(d, "pids", list, sizeof list, "");
    for (char *word; (word = strsep(&at, ",")); place++) {
        if (!*word) continue;
        int mine = d->slice < 0 ? !number_of(d, "mig", 0) : place == (d->slice ? 1u : 0u);
        if (!mine) continue;
        if (out && n < room) {
            out[n].pid = (unsigned)strtoul(word, 0, 10);
            out[n].used = (1024ULL << 20) * (place + 1);
            out[n].gpu_instance = d->slice < 0 ? ~0u : instance_of[d->slice];
            out[n].compute_instance = d->slice < 0 ? ~0u : 0;
        }
        n++;
    }
    return n;
}
EXPORT result nvmlDeviceGetComputeRunningProcesses_v3(device *d, unsigned *c, process *p) {
    CALL(d);
    unsigned room = *c;
    *c = running(d, room, p);
    return *c > room || (!p && *c) ? SMALL : OK;
}
EXPORT result nvmlDeviceGetGraphicsRunningProcesses_v3(device *d, unsigned *c, process *p) { CALL(d); (void)p; *c = 0; return OK; }
typedef struct { unsigned pid; unsigned long long at; unsigned sm, memory, encoder, decoder; } use;
EXPORT result nvmlDeviceGetProcessUtilization(device *d, use *s, unsigned *c, unsigned long long since) {
    CALL(d);
    (void)since;
    if (split(d)) return UNSUPPORTED;
    process first[1];
    if (!works(d) || !running(d, 1, first)) return NOT_FOUND;
    if (!s || *c < 1) { *c = 1; return SMALL; }
    *c = 1;
    s[0] = (use){first[0].pid, 1800000000000000ULL, 93, 40, 0, 0};
    return OK;
}

EXPORT result nvmlDeviceGetMigMode(device *d, unsigned *current, unsigned *pending) { CALL(d); *current = *pending = (unsigned)number_of(d, "mig", 0); return OK; }
EXPORT result nvmlDeviceGetMaxMigDeviceCount(device *d, unsigned *c) { CALL(d); *c = 3; return OK; }
EXPORT result nvmlDeviceGetMigDeviceHandleByIndex(device *d, unsigned i, device **out) {
    CALL(d);
    if (i >= 3 || !instance_of[i] || !number_of(d, "mig", 0)) return NOT_FOUND;
    *out = &slices[d->index][i];
    return OK;
}

/* Profiling: a sample remembers whose it is, and its place in time. */
typedef struct { unsigned version, supported; } support;
typedef struct { device *d; unsigned order; } sample;
static unsigned samples_taken;
EXPORT result nvmlGpmQueryDeviceSupport(device *d, support *s) { CALL(d); s->supported = (unsigned)number_of(d, "gpm", 0); return OK; }
EXPORT result nvmlGpmSampleAlloc(void **s) { NOTE(); *s = calloc(1, sizeof(sample)); return OK; }
EXPORT result nvmlGpmSampleFree(void *s) { NOTE(); free(s); return OK; }
EXPORT result nvmlGpmSampleGet(device *d, sample *s) {
    CALL(d);
    if (number_of(d, "mig", 0)) return UNSUPPORTED;
    s->d = d; s->order = ++samples_taken;
    return OK;
}
EXPORT result nvmlGpmMigSampleGet(device *d, unsigned instance, sample *s) {
    CALL(d);
    for (int i = 0; i < 3; i++)
        if (instance_of[i] == instance) { s->d = &slices[d->index][i]; s->order = ++samples_taken; return OK; }
    return BAD;
}
typedef struct { unsigned id; result code; double value; const char *names[3]; } metric;
typedef struct { unsigned version, n; sample *a, *b; metric m[210]; } metrics;
EXPORT result nvmlGpmMetricsGet(metrics *g) {
    NOTE();
    if (g->a->order >= g->b->order || g->a->d != g->b->d) return BAD;
    device *d = g->a->d;
    int busy = is(d, "busy") && d->slice <= 0, spins = is(d, "spin");
    for (unsigned i = 0; i < g->n; i++) {
        metric *m = &g->m[i];
        m->code = OK; m->names[0] = m->names[1] = "metric"; m->names[2] = "%";
        switch (m->id) {
        case 1: m->value = busy ? 96.5 : spins ? 100 : 0; break;
        case 2: m->value = busy ? 88.25 : spins ? 0.75 : 0; break;
        case 3: m->value = busy ? 24.5 : 0; break;
        case 5: m->value = busy ? 41.75 : 0; break;
        case 10: m->value = busy ? 38 : 0; break;
        case 20: m->value = busy ? 100 : 0; break;
        case 21: m->value = busy ? 50 : 0; break;
        case 60: case 61: m->value = busy ? 1000 : 0; break;
        default: m->code = UNSUPPORTED;
        }
    }
    return OK;
}

typedef struct { device *d; unsigned long long type, data; unsigned gpu_instance, compute_instance; } event;
EXPORT result nvmlEventSetCreate(void **s) { NOTE(); *s = calloc(1, 1); return OK; }
EXPORT result nvmlEventSetFree(void *s) { NOTE(); free(s); return OK; }
EXPORT result nvmlDeviceRegisterEvents(device *d, unsigned long long types, void *s) { (void)d; (void)s; NOTE(); return types == 8 ? OK : BAD; }
EXPORT result nvmlEventSetWait_v2(void *s, event *e, unsigned milliseconds) {
    (void)s; (void)milliseconds;
    NOTE();
    long code = number("xid", 0);
    if (!code || xid_told == code) return TIMEOUT;
    xid_told = (int)code;
    *e = (event){&whole[0], 8, (unsigned long long)code, ~0u, ~0u};
    return OK;
}
EXPORT const char *nvmlErrorString(result r) { (void)r; return "an error"; }
