//! `dataroom.toml` and where a room's state lives.
//!
//! Every key has a default, an unknown key is an error that names the file, the
//! line and the known keys, and relative paths are relative to the file.

mod bounds;

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dataroom_sandbox::Limits;
use serde::{Deserialize, Serialize};

use crate::audit::AuditSettings;
use crate::database::config::Sources;
use crate::gateway::{Fault, ToolSection, Tools};
use crate::policy::Policy;
use crate::sql::QuerySettings;
use crate::store::StoreSettings;

/// Bytes of one exported file, if the configuration does not say.
pub const EXPORT_BYTES: u64 = 4 << 30;

/// The whole of `dataroom.toml`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// What the model may see.
    pub policy: Policy,
    /// What one run may use.
    pub limits: Limits,
    /// What one query may use.
    pub query: QuerySettings,
    /// How long and how much artifacts are kept.
    pub store: StoreSection,
    /// Where the data is.
    pub data: DataSection,
    /// Where exports go.
    pub export: ExportSection,
    /// How the server works.
    pub serve: ServeSection,
    /// How calls are written down.
    pub audit: AuditSettings,
    /// What is shown to the person.
    pub view: ViewSection,
    /// What scripts can import.
    pub python: PythonSection,
    /// Databases whose tables are in the room.
    #[serde(rename = "source")]
    pub sources: Sources,
    #[serde(rename = "tool", skip_serializing)]
    sections: Vec<ToolSection>,
    /// Tools that the file declares, looked at.
    #[serde(skip)]
    pub tools: Tools,
}

/// `[python]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PythonSection {
    /// Wheels of pure Python that this room has besides the ones that all have.
    pub extra: Vec<PathBuf>,
}

/// `[view]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ViewSection {
    /// Whether the client shows views: MCP Apps.
    pub apps: Apps,
}

/// Whether a client shows views, so that it may ask for rows for them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Apps {
    /// If it says that it does.
    #[default]
    Auto,
    /// It does, whatever it says.
    On,
    /// It is not to.
    Off,
}

/// `[store]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoreSection {
    /// Hours after which an artifact is gone.
    pub time_to_live_hours: u64,
    /// Bytes of one artifact.
    pub artifact_bytes: u64,
    /// Bytes of all artifacts of one owner.
    pub owner_bytes: u64,
}

/// `[data]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DataSection {
    /// Folders whose files are datasets.
    pub folders: Vec<PathBuf>,
}

/// `[export]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExportSection {
    /// The folder that exports are written to; `exports` in the home by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// Bytes of one exported file.
    pub bytes: u64,
}

impl Default for ExportSection {
    fn default() -> Self {
        Self { folder: None, bytes: EXPORT_BYTES }
    }
}

/// `[serve]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServeSection {
    /// Scripts that run at the same time; twice the cores (at least 4) by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<NonZeroUsize>,
}

impl Default for StoreSection {
    fn default() -> Self {
        let settings = StoreSettings::default();
        Self {
            time_to_live_hours: settings.time_to_live.as_secs() / 3_600,
            artifact_bytes: settings.artifact_bytes,
            owner_bytes: settings.owner_bytes,
        }
    }
}

impl StoreSection {
    /// The store's settings.
    #[must_use]
    pub fn settings(&self) -> StoreSettings {
        StoreSettings {
            time_to_live: Duration::from_secs(self.time_to_live_hours.saturating_mul(3_600)),
            artifact_bytes: self.artifact_bytes,
            owner_bytes: self.owner_bytes,
        }
    }
}

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}: the configuration cannot be read: {cause}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// A key or a value is wrong.
    #[error("{}: {cause}", file.display())]
    Parse {
        /// The file.
        file: PathBuf,
        /// Line, key, what was expected.
        cause: Box<toml::de::Error>,
    },
    /// A number with which the room would be of no use, or that it cannot keep.
    #[error("{}, {cause}", file.display())]
    Bounds {
        /// The file.
        file: PathBuf,
        /// Line, key, number, and what can be set.
        cause: String,
    },
    /// Declared tools that cannot be served.
    #[error("{}", faults.iter().map(|fault| format!("{}, {fault}", file.display()))
        .collect::<Vec<_>>().join("\n"))]
    Tools {
        /// The file.
        file: PathBuf,
        /// Each with its line, code, cause and what to write instead.
        faults: Vec<Fault>,
    },
    /// No home was named and the platform has none.
    #[error(
        "there is no folder for dataroom's state: HOME is not set; name one with --home DIR or DATAROOM_HOME"
    )]
    NoHome,
}

impl Config {
    /// Reads a configuration file.
    ///
    /// # Errors
    /// Names the file, and the line and key that are wrong.
    pub fn load(file: &Path) -> Result<Self, ConfigError> {
        #[allow(clippy::disallowed_methods, reason = "the person named this file to be read")]
        let text = std::fs::read_to_string(file)
            .map_err(|cause| ConfigError::Read { file: file.to_owned(), cause })?;
        Self::parse(&text, file)
    }

    /// Reads the text of a configuration file that lies at `file`.
    ///
    /// # Errors
    /// Names the file, and the line and key that are wrong.
    pub fn parse(text: &str, file: &Path) -> Result<Self, ConfigError> {
        let mut config: Self = toml::from_str(text)
            .map_err(|cause| ConfigError::Parse { file: file.to_owned(), cause: cause.into() })?;
        if let Some(cause) = bounds::broken(text) {
            return Err(ConfigError::Bounds { file: file.to_owned(), cause });
        }
        let base = file.parent().unwrap_or(Path::new(""));
        let folders = config.data.folders.iter_mut().chain(&mut config.export.folder);
        for path in folders.chain(&mut config.python.extra) {
            *path = base.join(&*path);
        }
        config.sources.relative_to(base);
        let sections = std::mem::take(&mut config.sections);
        config.tools = Tools::of(sections, &config.sources, text)
            .map_err(|faults| ConfigError::Tools { file: file.to_owned(), faults })?;
        Ok(config)
    }
}

/// The folder of a room's state: `flag`, or `DATAROOM_HOME`, or `dataroom` in the
/// platform's data folder.
///
/// # Errors
/// The platform does not say where that is.
pub fn locate_home(flag: Option<PathBuf>) -> Result<PathBuf, ConfigError> {
    locate_home_with(flag, |name| std::env::var_os(name))
}

fn locate_home_with(
    flag: Option<PathBuf>,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<PathBuf, ConfigError> {
    let set = |name: &str| variable(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    if let Some(home) = flag.or_else(|| set("DATAROOM_HOME")) {
        return Ok(home);
    }
    let data = if cfg!(windows) {
        set("APPDATA")
    } else if cfg!(target_os = "macos") {
        set("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        // The XDG specification says that a relative path is to be ignored.
        set("XDG_DATA_HOME")
            .filter(|path| path.is_absolute())
            .or_else(|| set("HOME").map(|home| home.join(".local/share")))
    };
    data.map(|data| data.join("dataroom")).ok_or(ConfigError::NoHome)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Values;

    fn parse(text: &str) -> Result<Config, String> {
        Config::parse(text, Path::new("conf/dataroom.toml")).map_err(|e| e.to_string())
    }

    #[test]
    fn an_empty_file_is_the_defaults() {
        assert_eq!(parse("").unwrap(), Config::default());
        assert_eq!(
            Config::default().store.settings().time_to_live,
            Duration::from_secs(7 * 86_400)
        );
    }

    #[test]
    fn every_section_is_read() {
        let config = parse(
            "[policy]\nvalues = \"aggregates\"\nsample_rows = 0\n[limits]\nwall_ms = 5\n\
             [store]\ntime_to_live_hours = 2\n[data]\nfolders = [\"in\", \"/abs\"]\n\
             [export]\nfolder = \"out\"\nbytes = 7\n[serve]\nconcurrency = 3\n\
             [python]\nextra = [\"x-1.0-py3-none-any.whl\"]\n",
        )
        .unwrap();
        assert_eq!(config.policy.values, Values::Aggregates);
        assert_eq!(config.limits.wall_ms, 5);
        assert_eq!(config.store.settings().time_to_live, Duration::from_secs(7_200));
        assert_eq!(config.data.folders, [PathBuf::from("conf/in"), PathBuf::from("/abs")]);
        let folder = Some(PathBuf::from("conf/out"));
        assert_eq!(config.export, ExportSection { folder, bytes: 7 });
        assert_eq!(config.serve.concurrency.map(NonZeroUsize::get), Some(3));
        assert_eq!(config.python.extra, [PathBuf::from("conf/x-1.0-py3-none-any.whl")]);
    }

    #[test]
    fn a_wrong_key_names_the_file_the_line_and_the_known_keys() {
        let error = parse("[policy]\nsampel_rows = 3\n").unwrap_err();
        for part in ["conf/dataroom.toml", "line 2", "sampel_rows", "sample_rows", "min_group"] {
            assert!(error.contains(part), "{part} in {error}");
        }
        let error = parse("[policy]\nvalues = \"some\"\n").unwrap_err();
        assert!(error.contains("aggregates"), "{error}");
        assert!(parse("[serve]\nconcurrency = 0\n").unwrap_err().contains("line 2"));
    }

    #[test]
    fn the_home_follows_flag_variable_and_platform() {
        let variables = |name: &str| match name {
            "DATAROOM_HOME" => Some("/variable".into()),
            _ => None,
        };
        let flag = locate_home_with(Some("/flag".into()), variables).unwrap();
        assert_eq!(flag, Path::new("/flag"));
        assert_eq!(locate_home_with(None, variables).unwrap(), Path::new("/variable"));
        assert!(matches!(locate_home_with(None, |_| None), Err(ConfigError::NoHome)));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn on_linux_the_home_is_where_xdg_says() {
        let relative = |name: &str| match name {
            "XDG_DATA_HOME" => Some("relative".into()),
            "HOME" => Some("/home/me".into()),
            _ => None,
        };
        let home = locate_home_with(None, relative).unwrap();
        assert_eq!(home, Path::new("/home/me/.local/share/dataroom"));
        let xdg = |name: &str| (name == "XDG_DATA_HOME").then(|| "/x".into());
        assert_eq!(locate_home_with(None, xdg).unwrap(), Path::new("/x/dataroom"));
    }
}
