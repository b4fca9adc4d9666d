//! Reads the places where configuration can stand into one [`Config`].

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Config;
use super::env::{self, Env};
use super::error::{ConfigError, Notice, Place, Problem};
use super::file::FileConfig;
use super::parse;
use super::paths::Paths;
use super::resolve::{Layer, Origin, resolve};
use super::views;
use super::vocabulary::Vocabulary;
use crate::files;

/// The largest configuration that is read, bytes.
const LARGEST: u64 = 1 << 20;

/// What is loaded from where.
#[derive(Clone, Debug)]
pub struct Sources<'a> {
    /// The platform's directories; `None` where no home is known.
    pub paths: Option<&'a Paths>,
    /// `--config`.
    pub file: Option<&'a Path>,
    /// The environment.
    pub env: &'a Env,
    /// What the flags set.
    pub flags: FileConfig,
}

impl Sources<'_> {
    /// Path of the configuration file, and whether the user named it (it must exist then); `None` where there is no
    /// directory for it.
    pub fn config_file(&self) -> Option<(PathBuf, bool)> {
        let named = self.file.map(Path::to_owned);
        let named = named.or_else(|| self.env.get(env::CONFIG_FILE).map(PathBuf::from));
        match named {
            Some(path) => Some((path, true)),
            None => self.paths.map(|p| (p.config_file(), false)),
        }
    }
}

/// A configuration and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The validated configuration.
    pub config: Config,
    /// What was odd: unknown keys and variables, views that cannot be read.
    pub notices: Vec<Notice>,
    /// The file that was read; `None` where there is none.
    pub file: Option<PathBuf>,
}

/// Loads, layers and validates. Reads the configuration file and the file of saved views.
pub fn load(sources: &Sources<'_>, words: &Vocabulary) -> Result<Loaded, ConfigError> {
    let mut notices = Vec::new();
    let mut layers =
        vec![Layer { value: sources.flags.clone(), origin: Origin::Flags, lines: BTreeMap::new() }];
    let value = env::layer(sources.env).map_err(ConfigError::Invalid)?;
    layers.push(Layer { value, origin: Origin::Env, lines: BTreeMap::new() });
    let unknown = env::unknown(sources.env);
    let of_env = |message| Problem { place: Place::Env("environment"), message };
    if !unknown.wrong.is_empty() {
        return Err(ConfigError::Invalid(unknown.wrong.into_iter().map(of_env).collect()));
    }
    notices.extend(unknown.odd.into_iter().map(of_env));
    let mut file = None;
    if let Some((path, named)) = sources.config_file()
        && let Some(source) = read(&path, named)?
    {
        let parsed = parse::config(&source, &path)?;
        notices.extend(parsed.notices);
        layers.push(Layer {
            value: parsed.value,
            origin: Origin::File(path.clone()),
            lines: parsed.lines,
        });
        file = Some(path);
    }
    let mut config = resolve(layers, words)?;
    if let Some(paths) = sources.paths {
        let saved = views::load(&paths.views_file(), words);
        notices.extend(saved.notices);
        config.views.extend(saved.views);
    }
    Ok(Loaded { config, notices, file })
}

/// The text of a file; `None` where it does not exist and nobody named it. A link that leads nowhere
/// is there: what it once led to may have forbidden something.
fn read(path: &Path, named: bool) -> Result<Option<String>, ConfigError> {
    match text(path) {
        Ok(text) => Ok(Some(text)),
        Err(e)
            if e.kind() == io::ErrorKind::NotFound
                && !named
                && fs::symlink_metadata(path).is_err() =>
        {
            Ok(None)
        }
        Err(source) => Err(ConfigError::Read { path: path.to_owned(), source }),
    }
}

/// The text of a file of the configuration; see [`files::read_config`].
pub(super) fn text(path: &Path) -> io::Result<String> {
    let bytes = files::read_config(path, LARGEST)?;
    String::from_utf8(bytes).map_err(|_| io::Error::from(files::Refused::NoText))
}

#[cfg(test)]
mod tests {
    use super::super::DEFAULT_PRESET;
    use super::super::file::{RegionsText, SymbolChoice};
    use super::*;
    use crate::domain::Regions;

    fn words() -> Vocabulary {
        Vocabulary {
            presets: ["cautious", "mean-cpu", "aws-compute-optimizer"].map(Into::into).into(),
            ..Vocabulary::default()
        }
    }

    fn dir() -> (tempfile::TempDir, Paths) {
        let dir = tempfile::tempdir().unwrap();
        let at = |n: &str| dir.path().join(n);
        let paths =
            Paths { config_dir: at("config"), cache_dir: at("cache"), state_dir: at("state") };
        fs::create_dir(&paths.config_dir).unwrap();
        (dir, paths)
    }

    fn sources<'a>(paths: &'a Paths, env: &'a Env, flags: FileConfig) -> Sources<'a> {
        Sources { paths: Some(paths), file: None, env, flags }
    }

    #[test]
    fn without_anything_the_defaults_hold() {
        let (_dir, paths) = dir();
        let env = Env::default();
        let loaded = load(&sources(&paths, &env, FileConfig::default()), &words()).unwrap();
        assert_eq!(loaded.config.preset, DEFAULT_PRESET);
        assert!((loaded.config.own_cost_cap_usd_per_day - 1.0).abs() < f64::EPSILON);
        assert_eq!(loaded.config.cache.max_bytes(), 512_000_000);
        assert_eq!(loaded.config.targets.len(), 1);
        assert_eq!(loaded.config.targets[0].regions, Regions::Home);
        assert_eq!((loaded.notices.len(), loaded.file), (0, None));
    }

    #[test]
    fn a_flag_beats_a_variable_beats_the_file_beats_the_default() {
        let (_dir, paths) = dir();
        fs::write(
            paths.config_file(),
            "regions = ['eu-west-1']\n[idle]\npreset = 'mean-cpu'\n[ui]\nsymbols = 'ascii'\n\
             [cache]\nmax_mb = 100\n",
        )
        .unwrap();
        let env: Env =
            [("BURNTOP_PRESET", "aws-compute-optimizer"), ("BURNTOP_CACHE_MAX_MB", "200")]
                .into_iter()
                .collect();
        let mut flags = FileConfig::default();
        flags.idle.preset = Some("cautious".into());
        let config = load(&sources(&paths, &env, flags), &words()).unwrap().config;
        assert_eq!(config.preset, "cautious", "flag over variable over file");
        assert_eq!(config.cache.max_mb, 200, "variable over file");
        assert_eq!(config.ui.symbols, SymbolChoice::Ascii, "file over default");
        assert!(config.ui.mouse, "default");
        assert_eq!(config.targets[0].regions, Regions::named(["eu-west-1"]));
    }

    #[test]
    fn a_named_file_must_exist_and_the_flag_beats_the_variable() {
        let (_dir, paths) = dir();
        let missing = paths.config_dir.join("nowhere.toml");
        let env: Env = [("BURNTOP_CONFIG", missing.to_str().unwrap())].into_iter().collect();
        let error = load(&sources(&paths, &env, FileConfig::default()), &words()).unwrap_err();
        assert!(error.to_string().contains("nowhere.toml"), "{error}");

        let there = paths.config_dir.join("there.toml");
        fs::write(&there, "regions = 'all'").unwrap();
        let mut both = sources(&paths, &env, FileConfig::default());
        both.file = Some(&there);
        let loaded = load(&both, &words()).unwrap();
        assert_eq!(loaded.config.targets[0].regions, Regions::Enabled);
        assert_eq!(loaded.file.as_deref(), Some(there.as_path()));
    }

    #[test]
    fn a_wrong_name_is_blamed_on_the_place_it_came_from() {
        let (_dir, paths) = dir();
        fs::write(paths.config_file(), "\n[idle]\npreset = 'cautios'\n").unwrap();
        let env = Env::default();
        let error = load(&sources(&paths, &env, FileConfig::default()), &words()).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("config.toml:3: `idle.preset` is \"cautios\""), "{text}");
        assert!(text.contains("did you mean `cautious`?"), "{text}");

        let env: Env = [("BURNTOP_PRESET", "nope")].into_iter().collect();
        let error = load(&sources(&paths, &env, FileConfig::default()), &words()).unwrap_err();
        assert!(error.to_string().starts_with("BURNTOP_PRESET: "), "{error}");

        let regions = Some(RegionsText::List(vec!["US-EAST-1".into()]));
        let flags = FileConfig { regions, ..FileConfig::default() };
        let error = load(&sources(&paths, &env, flags), &words()).unwrap_err();
        assert!(error.to_string().starts_with("--region: "), "{error}");
    }

    #[test]
    fn a_price_or_a_group_that_cannot_be_is_refused_with_its_line() {
        let (_dir, paths) = dir();
        let families = ["p5".to_owned(), "g5".to_owned()].to_vec();
        let words = Vocabulary { families, ..words() };
        for (source, line) in [
            ("[[prices.rates]]\ntype = 'p5.48xlarge'\nusd_per_hour = -1\n", 3),
            ("[[prices.discounts]]\npercent = 5\nfamily = 'p55'\n", 3),
            ("[prices]\ndiscount = []\n", 2),
            ("[[prices.discounts]]\npercent = 5\nregoin = 'us-east-1'\n", 3),
            ("[prices.capacity_blocks]\ncr-0123456789abcdef0 = 0.0\n", 2),
            ("[commitments]\nsharng = true\n", 2),
            ("[commitments]\nsharing = 'restricted'\n", 2),
            (
                "[commitments]\nsharing = 'restricted'\n[[commitments.groups]]\nname = 'a'\n\
                 accounts = ['111111111111']\n[[commitments.groups]]\nname = 'b'\n\
                 accounts = ['111111111111']\n",
                8,
            ),
        ] {
            fs::write(paths.config_file(), source).unwrap();
            let env = Env::default();
            let error = load(&sources(&paths, &env, FileConfig::default()), &words).unwrap_err();
            let text = error.to_string();
            assert!(text.contains(&format!("config.toml:{line}: ")), "{source}: {text}");
        }
    }

    #[test]
    fn a_file_that_is_not_text_is_an_error_not_a_panic() {
        let (_dir, paths) = dir();
        fs::write(paths.config_file(), [0xff, 0xfe, 0x00]).unwrap();
        let env = Env::default();
        let error = load(&sources(&paths, &env, FileConfig::default()), &words()).unwrap_err();
        assert!(matches!(error, ConfigError::Read { .. }), "{error}");
    }

    #[test]
    fn a_link_to_a_file_of_ones_own_is_read_and_one_that_leads_nowhere_is_no_default() {
        let (_dir, paths) = dir();
        let real = paths.config_dir.join("dotfiles.toml");
        fs::write(&real, "regions = 'all'").unwrap();
        std::os::unix::fs::symlink(&real, paths.config_file()).unwrap();
        let env = Env::default();
        let loaded = load(&sources(&paths, &env, FileConfig::default()), &words()).unwrap();
        assert_eq!(loaded.config.targets[0].regions, Regions::Enabled);
        // What the missing file forbade must not be allowed because it is missing.
        fs::remove_file(&real).unwrap();
        let error = load(&sources(&paths, &env, FileConfig::default()), &words()).unwrap_err();
        assert!(matches!(error, ConfigError::Read { .. }), "{error}");
        assert!(error.to_string().contains("check the name"), "{error}");
    }

    mod hostile {
        use std::os::unix::fs::symlink;

        use super::*;

        #[test]
        fn no_file_of_another_kind_holds_us_up_or_is_read_whole() {
            let mut inputs = 0;
            for thing in
                ["pipe", "link to a pipe", "directory", "device", "large", "loop", "socket"]
            {
                for views in [false, true] {
                    let (_dir, paths) = dir();
                    let path = if views { paths.views_file() } else { paths.config_file() };
                    let pipe = |at: &Path| {
                        let mode = rustix::fs::Mode::from_raw_mode(0o600);
                        let kind = rustix::fs::FileType::Fifo;
                        rustix::fs::mknodat(rustix::fs::CWD, at, kind, mode, 0).unwrap();
                    };
                    match thing {
                        "pipe" => pipe(&path),
                        "link to a pipe" => {
                            pipe(&paths.config_dir.join("p"));
                            symlink(paths.config_dir.join("p"), &path).unwrap();
                        }
                        "directory" => fs::create_dir(&path).unwrap(),
                        "device" => symlink("/dev/zero", &path).unwrap(),
                        "large" => fs::File::create(&path).unwrap().set_len(100 << 30).unwrap(),
                        "loop" => symlink(&path, &path).unwrap(),
                        _ => drop(std::os::unix::net::UnixListener::bind(&path).unwrap()),
                    }
                    let env = Env::default();
                    let loaded = load(&sources(&paths, &env, FileConfig::default()), &words());
                    if views {
                        // Saved views are left out, and that is said.
                        let notices = loaded.unwrap().notices;
                        assert_eq!(notices.len(), 1, "{thing}");
                        let error = views::save(&path, "x", &crate::config::SavedView::default());
                        assert!(error.is_err(), "{thing}");
                    } else {
                        let error = loaded.unwrap_err();
                        assert!(matches!(error, ConfigError::Read { .. }), "{thing}: {error}");
                        assert!(error.to_string().contains("; "), "it says what to do: {error}");
                    }
                    inputs += 1;
                }
            }
            println!("hostile: configurations and views: {inputs} inputs");
            assert!(inputs >= 14);
        }
    }
}
