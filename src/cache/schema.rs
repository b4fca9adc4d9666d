//! The tables of both files, as a list of steps; `PRAGMA user_version` counts the steps taken.

/// A kind of database file: how it is recognised and how it is built.
#[derive(Debug)]
pub(super) struct Schema {
    /// `PRAGMA application_id`: tells our files from those of other programs.
    pub application_id: i32,
    /// SQL of each version, oldest first. Steps are appended, never edited.
    pub migrations: &'static [&'static str],
}

impl Schema {
    /// The newest version this program knows.
    pub const fn version(&self) -> i32 {
        self.migrations.len() as i32
    }
}

/// The cache: ASCII `burn` as its application id.
pub(super) const CACHE: Schema = Schema {
    application_id: 0x6275_726e,
    migrations: &[
        "
    -- Small numbers about the file itself.
    CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;

    -- One typed value per kind and scope: inventory, prices, types. postcard blobs.
    CREATE TABLE fact (
        kind     TEXT    NOT NULL,
        account  TEXT    NOT NULL,
        region   TEXT    NOT NULL,
        layout   INTEGER NOT NULL,
        taken_ms INTEGER NOT NULL,
        data     BLOB    NOT NULL,
        PRIMARY KEY (kind, account, region)
    );

    -- One row per hourly signal; fetched_from <= h < fetched_to were asked for (epoch hours).
    -- AUTOINCREMENT: an id is never given again, so that chunks may outlive their series a while.
    CREATE TABLE series (
        id           INTEGER PRIMARY KEY AUTOINCREMENT,
        instance     TEXT    NOT NULL,
        signal       TEXT    NOT NULL,
        fetched_from INTEGER NOT NULL,
        fetched_to   INTEGER NOT NULL,
        UNIQUE (instance, signal)
    );

    -- 24 little-endian f32 per series and UTC day (epoch days); NaN = no datapoint. Day first: the
    -- hourly refresh of the whole fleet rewrites one small part of the file instead of every page
    -- of it, and an evicted day frees whole pages.
    CREATE TABLE chunk (
        day    INTEGER NOT NULL,
        series INTEGER NOT NULL,
        data   BLOB    NOT NULL,
        PRIMARY KEY (day, series)
    ) WITHOUT ROWID;

    -- What paints first.
    CREATE TABLE summary (
        kind     TEXT PRIMARY KEY,
        checksum INTEGER NOT NULL,
        data     BLOB    NOT NULL
    );
    ",
        "
    -- The GPUs that each source of telemetry (`prom/main`) has told hours of. postcard blobs.
    -- AUTOINCREMENT: an id is never given again, so that no hour can speak of another GPU.
    CREATE TABLE gpu_device (
        id        INTEGER PRIMARY KEY AUTOINCREMENT,
        source    TEXT    NOT NULL,
        identity  BLOB    NOT NULL,
        last_hour INTEGER NOT NULL,
        UNIQUE (source, identity)
    );

    -- What all GPUs of a source did in a closed hour (epoch hours): 10 bytes each.
    CREATE TABLE gpu_hour (
        hour     INTEGER NOT NULL,
        source   TEXT    NOT NULL,
        checksum INTEGER NOT NULL,
        data     BLOB    NOT NULL,
        PRIMARY KEY (hour, source)
    );
    ",
        "
    -- Daily figures of buckets: a little-endian f64 per UTC day from first_day on (epoch days),
    -- NaN = no datapoint; days before fetched_to were asked for. 15 months take 3.6 KB.
    CREATE TABLE bucket_size (
        account    TEXT    NOT NULL,
        region     TEXT    NOT NULL,
        bucket     TEXT    NOT NULL,
        metric     TEXT    NOT NULL,
        dimension  TEXT    NOT NULL,
        first_day  INTEGER NOT NULL,
        fetched_to INTEGER NOT NULL,
        checksum   INTEGER NOT NULL,
        data       BLOB    NOT NULL,
        PRIMARY KEY (account, region, bucket, metric, dimension)
    );
    ",
        "
    -- Running instances by type as seen within an hour (epoch hours), added up over so many looks.
    -- postcard blobs of about 200 bytes.
    CREATE TABLE fleet_hour (
        hour     INTEGER NOT NULL,
        account  TEXT    NOT NULL,
        region   TEXT    NOT NULL,
        looks    INTEGER NOT NULL,
        checksum INTEGER NOT NULL,
        data     BLOB    NOT NULL,
        PRIMARY KEY (hour, account, region)
    ) WITHOUT ROWID;
    ",
    ],
};

/// The tables of the cache.
pub(super) const CACHE_TABLES: &[&str] = &[
    "meta",
    "fact",
    "series",
    "chunk",
    "summary",
    "gpu_device",
    "gpu_hour",
    "bucket_size",
    "fleet_hour",
];

/// The own-cost ledger: ASCII `burl` as its application id.
pub(super) const LEDGER: Schema = Schema {
    application_id: 0x6275_726c,
    migrations: &["
    -- What billed calls cost, per UTC day (epoch days) and API, in millionths of a dollar.
    CREATE TABLE entry (
        day       INTEGER NOT NULL,
        api       TEXT    NOT NULL,
        calls     INTEGER NOT NULL,
        units     INTEGER NOT NULL,
        micro_usd INTEGER NOT NULL,
        PRIMARY KEY (day, api)
    ) WITHOUT ROWID;
    "],
};
