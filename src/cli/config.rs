//! `burntop config`: where the configuration lies, what it says, whether it can be used.

use std::io::Write;

use super::args::{ConfigCommand, GlobalArgs};
use super::exit::{CliError, Exit};
use super::invocation;
use crate::config::load::Sources;
use crate::config::{
    ConfigError, Env, FileConfig, Notice, Paths, Vocabulary, print, schema, template,
};
use crate::domain::text;

/// Runs one of the `config` commands. Fails where the configuration cannot be used or written.
pub fn run(
    command: ConfigCommand,
    global: &GlobalArgs,
    env: &Env,
    paths: Option<&Paths>,
    words: &Vocabulary,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let sources =
        Sources { paths, file: global.config.as_deref(), env, flags: FileConfig::default() };
    let file = || sources.config_file().map(|(path, _)| path).ok_or(ConfigError::NoHome);
    match command {
        ConfigCommand::Path => writeln!(out, "{}", file()?.display())?,
        ConfigCommand::Init => {
            let path = file()?;
            template::init(&path)?;
            writeln!(out, "{}", path.display())?;
        }
        ConfigCommand::Schema => writeln!(out, "{:#}", schema::json_schema())?,
        ConfigCommand::Print => {
            let loaded = invocation::config(global, env, paths, words)?;
            let file = loaded.file.as_ref().map(|f| f.display().to_string());
            let file = file.unwrap_or_else(|| "no file".into());
            writeln!(out, "# flags over BURNTOP_* variables over {file} over defaults\n")?;
            for entry in &loaded.config.unread {
                let name = text::clean(&entry.label);
                writeln!(out, "# not read in this run, and its pins hold: account {name}")?;
            }
            let text = print::effective(&loaded.config)
                .map_err(|e| CliError::Usage(format!("cannot be written as TOML: {e}")))?;
            out.write_all(text.as_bytes())?;
        }
        ConfigCommand::Check => {
            let loaded = invocation::config(global, env, paths, words)?;
            warnings(&loaded.notices, out)?;
            match &loaded.file {
                Some(file) => writeln!(out, "{}: fine", file.display())?,
                None => writeln!(out, "no configuration file; defaults hold")?,
            }
        }
    }
    Ok(Exit::Ok)
}

/// Prints one warning line per notice. Fails where it cannot be written.
pub fn warnings(notices: &[Notice], out: &mut dyn Write) -> std::io::Result<()> {
    notices.iter().try_for_each(|notice| writeln!(out, "warning: {notice}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::PathBuf;

    struct Home {
        _dir: tempfile::TempDir,
        file: PathBuf,
        paths: Paths,
    }

    impl Home {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let at = |n: &str| dir.path().join(n);
            let paths =
                Paths { config_dir: at("config"), cache_dir: at("cache"), state_dir: at("state") };
            Self { file: paths.config_file(), paths, _dir: dir }
        }

        fn run(&self, command: ConfigCommand) -> Result<String, CliError> {
            let mut out = Vec::new();
            run(
                command,
                &GlobalArgs::default(),
                &Env::default(),
                Some(&self.paths),
                &Vocabulary::default(),
                &mut out,
            )?;
            Ok(String::from_utf8(out).unwrap())
        }
    }

    #[test]
    fn init_writes_once_and_the_result_is_fine() {
        let home = Home::new();
        assert_eq!(home.run(ConfigCommand::Path).unwrap(), format!("{}\n", home.file.display()));
        assert!(home.run(ConfigCommand::Check).unwrap().contains("defaults hold"));
        home.run(ConfigCommand::Init).unwrap();
        assert!(home.run(ConfigCommand::Check).unwrap().ends_with("config.toml: fine\n"));
        let error = home.run(ConfigCommand::Init).unwrap_err();
        assert_eq!(error.exit(), Exit::Usage);
        assert!(error.to_string().contains("exists already"), "{error}");
    }

    #[test]
    fn check_prints_warnings_and_fails_on_problems() {
        let home = Home::new();
        fs::create_dir_all(&home.paths.config_dir).unwrap();
        fs::write(&home.file, "regoins = 'all'").unwrap();
        let text = home.run(ConfigCommand::Check).unwrap();
        assert!(
            text.starts_with("warning: ") && text.contains("did you mean `regions`?"),
            "{text}"
        );
        fs::write(&home.file, "[ui]\nmouse = 'x'\n[cache]\nmax_mb = 1").unwrap();
        let error = home.run(ConfigCommand::Check).unwrap_err();
        assert_eq!(error.exit(), Exit::Usage);
        assert_eq!(error.to_string().lines().count(), 2, "{error}");
    }

    #[test]
    fn a_broken_file_does_not_stop_path_and_schema() {
        let home = Home::new();
        fs::create_dir_all(&home.paths.config_dir).unwrap();
        fs::write(&home.file, "[[[").unwrap();
        home.run(ConfigCommand::Path).unwrap();
        let schema = home.run(ConfigCommand::Schema).unwrap();
        let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
        assert_eq!(schema["title"], "burntop");
    }

    #[test]
    fn print_names_the_file_it_read() {
        let home = Home::new();
        assert!(home.run(ConfigCommand::Print).unwrap().contains("over no file over defaults"));
        home.run(ConfigCommand::Init).unwrap();
        let text = home.run(ConfigCommand::Print).unwrap();
        assert!(text.lines().next().unwrap().contains("config.toml over defaults"), "{text}");
        assert!(text.contains("cap_usd_per_day = 1.0"), "{text}");
    }
}
