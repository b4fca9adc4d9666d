//! The tables of the files, as a list of steps; `PRAGMA user_version` counts the steps taken.

use rusqlite::Connection;

use super::{digest, ledger};

/// Kind of a database file: its id and its tables.
#[derive(Debug)]
pub(super) struct Schema {
    /// `PRAGMA application_id`, by which burntop's files are distinguished from those of other programs.
    pub application_id: i32,
    /// SQL of each version, oldest first. Steps are appended, never edited.
    pub migrations: &'static [&'static str],
    /// Copies rows of an older version, whose number is the second argument, after the SQL steps: for what SQL alone
    /// cannot do.
    pub take_over: fn(&Connection, i32) -> rusqlite::Result<()>,
    /// True when an existing empty file may be one that another process is creating. A file whose every row counts is
    /// created under a lock instead: an empty one has lost its rows.
    pub may_be_empty: bool,
}

impl Schema {
    /// Newest version that this program knows.
    pub const fn version(&self) -> i32 {
        self.migrations.len() as i32
    }
}

/// The SQL that keeps the digest of a table: its row, and a trigger for each way in which its rows change.
macro_rules! digest_of {
    ($table:literal) => {
        concat!(
            "    INSERT INTO digest (name, rows, checksum) VALUES ('",
            $table,
            "', 0, 0);
    CREATE TRIGGER ",
            $table,
            "_in AFTER INSERT ON ",
            $table,
            " BEGIN
        UPDATE digest SET rows = rows + 1,
            checksum = (checksum | new.checksum) - (checksum & new.checksum) WHERE name = '",
            $table,
            "';
    END;
    CREATE TRIGGER ",
            $table,
            "_out AFTER DELETE ON ",
            $table,
            " BEGIN
        UPDATE digest SET rows = rows - 1,
            checksum = (checksum | old.checksum) - (checksum & old.checksum) WHERE name = '",
            $table,
            "';
    END;
    CREATE TRIGGER ",
            $table,
            "_change AFTER UPDATE ON ",
            $table,
            " BEGIN
        UPDATE digest SET
            checksum = (checksum | old.checksum) - (checksum & old.checksum) WHERE name = '",
            $table,
            "';
        UPDATE digest SET
            checksum = (checksum | new.checksum) - (checksum & new.checksum) WHERE name = '",
            $table,
            "';
    END;
"
        )
    };
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
        concat!(
            "
    -- Each row carries a checksum over all of its columns, in front of what is long; and of each
    -- table the digest says how many rows there are and what their checksums come to (exclusive or,
    -- which SQLite writes as a difference). What came from the cloud is read anew; the rest is taken
    -- over below.
    DROP TABLE fact;
    DROP TABLE series;
    DROP TABLE chunk;
    DROP TABLE summary;
    DROP TABLE bucket_size;
    ALTER TABLE gpu_device RENAME TO gpu_device_4;
    ALTER TABLE gpu_hour RENAME TO gpu_hour_4;
    ALTER TABLE fleet_hour RENAME TO fleet_hour_4;

    CREATE TABLE fact (
        kind     TEXT    NOT NULL,
        account  TEXT    NOT NULL,
        region   TEXT    NOT NULL,
        layout   INTEGER NOT NULL,
        taken_ms INTEGER NOT NULL,
        checksum INTEGER NOT NULL,
        data     BLOB    NOT NULL,
        PRIMARY KEY (kind, account, region)
    );
    CREATE TABLE series (
        id           INTEGER PRIMARY KEY AUTOINCREMENT,
        instance     TEXT    NOT NULL,
        signal       TEXT    NOT NULL,
        fetched_from INTEGER NOT NULL,
        fetched_to   INTEGER NOT NULL,
        checksum     INTEGER NOT NULL,
        UNIQUE (instance, signal)
    );
    -- Every day that a series claims to have been asked about has its chunk, of no bytes where no
    -- datapoint came: so a missing one is seen without a digest, which would cost more than it.
    CREATE TABLE chunk (
        day      INTEGER NOT NULL,
        series   INTEGER NOT NULL,
        checksum INTEGER NOT NULL,
        data     BLOB    NOT NULL,
        PRIMARY KEY (day, series)
    ) WITHOUT ROWID;
    CREATE TABLE summary (
        kind     TEXT PRIMARY KEY,
        checksum INTEGER NOT NULL,
        data     BLOB    NOT NULL
    );
    CREATE TABLE gpu_device (
        id        INTEGER PRIMARY KEY AUTOINCREMENT,
        source    TEXT    NOT NULL,
        identity  BLOB    NOT NULL,
        last_hour INTEGER NOT NULL,
        checksum  INTEGER NOT NULL,
        UNIQUE (source, identity)
    );
    CREATE TABLE gpu_hour (
        hour     INTEGER NOT NULL,
        source   TEXT    NOT NULL,
        checksum INTEGER NOT NULL,
        data     BLOB    NOT NULL,
        PRIMARY KEY (hour, source)
    );
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
    -- With an index beside it, against which a damaged key is seen.
    CREATE TABLE fleet_hour (
        hour     INTEGER NOT NULL,
        account  TEXT    NOT NULL,
        region   TEXT    NOT NULL,
        looks    INTEGER NOT NULL,
        checksum INTEGER NOT NULL,
        data     BLOB    NOT NULL,
        PRIMARY KEY (hour, account, region)
    );

    CREATE TABLE digest (
        name     TEXT PRIMARY KEY,
        rows     INTEGER NOT NULL,
        checksum INTEGER NOT NULL
    ) WITHOUT ROWID;
",
            digest_of!("fact"),
            digest_of!("series"),
            digest_of!("summary"),
            digest_of!("gpu_device"),
            digest_of!("gpu_hour"),
            digest_of!("bucket_size"),
            digest_of!("fleet_hour"),
            "    "
        ),
        concat!(
            "
    -- What an account burnt on a UTC day (epoch days), by team. postcard blobs of some 60 bytes per team.
    CREATE TABLE burn_day (
        day      INTEGER NOT NULL,
        account  TEXT    NOT NULL,
        checksum INTEGER NOT NULL,
        data     BLOB    NOT NULL,
        PRIMARY KEY (day, account)
    ) WITHOUT ROWID;
",
            digest_of!("burn_day"),
            "    "
        ),
    ],
    take_over: digest::take_over,
    may_be_empty: true,
};

/// Tables of the cache with content. Rows copied into them keep the digests correct.
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
    "burn_day",
];

/// Imported bills: ASCII `bury` as its application id.
pub(super) const BILLS: Schema = Schema {
    application_id: 0x6275_7279,
    migrations: &["
    -- The bill of one period of one export. `head`, `costs` and `bill` are postcard, the latter two deflated;
    -- `layout` is that of all. `costs` is what of it the views of what runs show, costs and rates, so that they need
    -- not read the bill. The checksums are over the columns before them.
    CREATE TABLE bill (
        export        TEXT    NOT NULL,
        period        TEXT    NOT NULL,
        layout        INTEGER NOT NULL,
        digest        TEXT    NOT NULL,
        head          BLOB    NOT NULL,
        head_checksum INTEGER NOT NULL,
        costs         BLOB    NOT NULL,
        costs_checksum INTEGER NOT NULL,
        bill          BLOB    NOT NULL,
        bill_checksum INTEGER NOT NULL,
        PRIMARY KEY (export, period)
    );
    "],
    take_over: |_, _| Ok(()),
    may_be_empty: true,
};

/// The imported jobs: ASCII `burj` as its application id.
pub(super) const JOBS: Schema = Schema {
    application_id: 0x6275_726a,
    migrations: &["
    -- One attempt of a job; the identity twice, as columns and in the postcard. `over` is 1 for one that ended. The
    -- checksum is over the columns before it.
    CREATE TABLE attempt (
        source   TEXT    NOT NULL,
        cluster  TEXT    NOT NULL,
        raw      TEXT    NOT NULL,
        key      TEXT    NOT NULL,
        layout   INTEGER NOT NULL,
        over     INTEGER NOT NULL,
        attempt  BLOB    NOT NULL,
        checksum INTEGER NOT NULL,
        PRIMARY KEY (source, cluster, raw, key)
    ) WITHOUT ROWID;
    ",
        "
    -- A node while one instance was behind its name (`instance` is its id, else its address, else empty); times in
    -- milliseconds, which the postcard has not.
    CREATE TABLE node (
        source     TEXT    NOT NULL,
        cluster    TEXT    NOT NULL,
        name       TEXT    NOT NULL,
        instance   TEXT    NOT NULL,
        seen_from  INTEGER NOT NULL,
        seen_until INTEGER NOT NULL,
        layout     INTEGER NOT NULL,
        node       BLOB    NOT NULL,
        checksum   INTEGER NOT NULL,
        PRIMARY KEY (source, cluster, name, instance)
    ) WITHOUT ROWID;
    -- Who held GPUs at the last reading of a source (`origin` is its configured name), all of them anew each time.
    CREATE TABLE holder (
        source   TEXT    NOT NULL,
        origin   TEXT    NOT NULL,
        place    INTEGER NOT NULL,
        layout   INTEGER NOT NULL,
        holder   BLOB    NOT NULL,
        checksum INTEGER NOT NULL,
        PRIMARY KEY (source, origin, place)
    ) WITHOUT ROWID;
    -- How a source was read last, milliseconds; `open` is the earliest submission of what was not over.
    CREATE TABLE reading (
        source   TEXT    NOT NULL,
        origin   TEXT    NOT NULL,
        taken    INTEGER NOT NULL,
        complete INTEGER NOT NULL,
        open     INTEGER,
        checksum INTEGER NOT NULL,
        PRIMARY KEY (source, origin)
    ) WITHOUT ROWID;
    ",
        "
    -- When a source was read first; null where that was not written down yet.
    ALTER TABLE reading ADD COLUMN first INTEGER;
    ",
        "
    -- What happened to nodes; `key` is cluster, first name, GPU and kind, `at` milliseconds.
    CREATE TABLE node_event (
        key      TEXT    NOT NULL,
        at       INTEGER NOT NULL,
        layout   INTEGER NOT NULL,
        event    BLOB    NOT NULL,
        checksum INTEGER NOT NULL,
        PRIMARY KEY (key, at)
    ) WITHOUT ROWID;
    CREATE INDEX node_event_at ON node_event (at);
    "],
    take_over: |_, _| Ok(()),
    may_be_empty: true,
};

/// The own-cost ledger: ASCII `burl` as its application id.
pub(super) const LEDGER: Schema = Schema {
    application_id: 0x6275_726c,
    migrations: &[
        "
    -- What billed calls cost, per UTC day (epoch days) and API, in millionths of a dollar.
    CREATE TABLE entry (
        day       INTEGER NOT NULL,
        api       TEXT    NOT NULL,
        calls     INTEGER NOT NULL,
        units     INTEGER NOT NULL,
        micro_usd INTEGER NOT NULL,
        PRIMARY KEY (day, api)
    ) WITHOUT ROWID;
    ",
        "
    -- Each row with a checksum over all of it; and per day what must be there in all, so that neither
    -- a figure nor a row can go unseen. Figures are only ever added to.
    ALTER TABLE entry RENAME TO entry_1;
    CREATE TABLE entry (
        day       INTEGER NOT NULL,
        api       TEXT    NOT NULL,
        calls     INTEGER NOT NULL,
        units     INTEGER NOT NULL,
        micro_usd INTEGER NOT NULL,
        checksum  INTEGER NOT NULL,
        PRIMARY KEY (day, api)
    ) WITHOUT ROWID;
    CREATE TABLE day_total (
        day       INTEGER PRIMARY KEY,
        entries   INTEGER NOT NULL,
        micro_usd INTEGER NOT NULL,
        checksum  INTEGER NOT NULL
    );
    ",
    ],
    take_over: ledger::take_over,
    may_be_empty: false,
};
