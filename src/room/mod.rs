//! A room: data, artifacts, SQL, Python, and what one owner may ask of them.
//!
//! [`Room`] is the embedding API. It is made of parts that know nothing of each
//! other: the catalog finds datasets, the store keeps artifacts, the engine answers
//! queries, the sandbox runs scripts, `profile` and `present` look at tables. Each part is opened when it is
//! first needed, so that a run which needs no data does not pay for looking at it.
//!
//! A room's methods give their caller everything; what a *model* may see of it is
//! decided by the [`Policy`] in `server/`, and nowhere else.

mod asked;
mod audited;
mod call;
mod chart;
mod declared;
mod download;
mod error;
mod export;
mod files;
mod find;
mod groups;
mod home;
mod lineage;
mod named;
mod names;
mod once;
mod query;
mod queue;
mod remote;
mod replay;
mod report;
mod rows;
mod run;
mod seen;
mod sensitive;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use dataroom_sandbox::{Limits, Sandbox};
use serde_json::{Map, Value};

use self::home::Home;
use self::once::Once;
use self::queue::Queue;
use self::sensitive::Judged;
use crate::audit::{Audit, AuditSettings};
use crate::catalog::{Catalog, DatasetInfo};
use crate::config::{Apps, EXPORT_BYTES};
use crate::database::Databases;
use crate::database::config::Sources;
use crate::gateway::Tools;
use crate::policy::Policy;
use crate::present::view::page::{Answers, Page};
use crate::profile::{Kept as KeptProfiles, Profile, describe};
use crate::runtime::{Cache, Ready};
use crate::sql::{Engine, QuerySettings};
use crate::store::{ArtifactMeta, Owner, Store, StoreSettings, Swept};

pub use self::audited::{Asked, Ended, KnownNames};
pub use self::call::{Call, Stage};
pub use self::chart::{
    Aggregate, Chart, ChartError, ChartKind, ChartRequest, Charted, Sort, Window,
};
pub use self::declared::{ToolAnswer, ToolReport, ToolRows};
pub use self::download::{PictureFormat, Portion};
pub use self::error::RoomError;
pub use self::export::{ExportRequest, ExportedFile};
pub use self::files::KeptFile;
pub use self::find::Found;
pub use self::groups::{Key, ShownGroups};
pub use self::lineage::{Lineage, Step, StepKind};
pub(crate) use self::names::Names;
pub use self::query::{QueryReport, QueryRequest};
pub use self::remote::RemoteEntry;
pub use self::replay::{ColumnDifference, Difference, Replay, ReplayedStep, Verdict};
pub use self::report::ReportItem;
pub use self::rows::{Head, MOST_ROWS, Rows, Wanted};
pub use self::run::{Kept, RunReport, RunRequest, Source};
pub use self::seen::Seen;

/// Calls that may wait for a place; more are refused.
const WAITING: usize = 64;

/// Answers a page: the function's name, the data that its link opens, arguments.
type PageCall = fn(&Room, &str, &str, Map<String, Value>) -> Result<Value, String>;

/// What a room is made of.
#[derive(Debug, Clone)]
pub struct RoomSettings {
    /// The folder of the room's state; made if it is not there.
    pub home: PathBuf,
    /// Where the runtime is.
    pub cache: Cache,
    /// Folders whose files are datasets.
    pub data: Vec<PathBuf>,
    /// What a model may see.
    pub policy: Policy,
    /// What one run may use.
    pub limits: Limits,
    /// What one query may use.
    pub query: QuerySettings,
    /// How long and how much artifacts are kept.
    pub store: StoreSettings,
    /// Where exports go; `exports` in the home if `None`.
    pub exports: Option<PathBuf>,
    /// Bytes of one exported file.
    pub export_bytes: u64,
    /// Databases whose tables are in the room.
    pub sources: Sources,
    /// Tools that the configuration declares.
    pub tools: Tools,
    /// Whether the client shows views.
    pub apps: Apps,
    /// How calls are written down.
    pub audit: AuditSettings,
    /// Whose room this is.
    pub owner: Owner,
    /// Scripts that run at the same time; twice the cores (at least 4) if `None`.
    pub concurrency: Option<NonZeroUsize>,
}

impl RoomSettings {
    /// The defaults for a room whose state is in `home`.
    #[must_use]
    pub fn new(home: PathBuf, cache: Cache) -> Self {
        Self {
            home,
            cache,
            data: Vec::new(),
            policy: Policy::default(),
            limits: Limits::default(),
            query: QuerySettings::default(),
            store: StoreSettings::default(),
            exports: None,
            export_bytes: EXPORT_BYTES,
            sources: Sources::default(),
            tools: Tools::default(),
            apps: Apps::Auto,
            audit: AuditSettings::default(),
            owner: Owner::local(),
            concurrency: None,
        }
    }
}

/// See the module. Cheap to clone; clones are the same room.
#[derive(Debug, Clone)]
pub struct Room(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    settings: RoomSettings,
    home: Once<Home>,
    audit: Once<Audit>,
    store: Once<Store>,
    catalog: Once<Catalog>,
    profiles: Once<KeptProfiles>,
    databases: Databases,
    judged: Judged,
    orders: rows::Orders,
    page: Once<Page>,
    sandbox: Once<Opened>,
    engine: Once<Engine>,
    runs: Queue,
    scans: Queue,
    queries: Queue,
}

/// The open sandbox.
#[derive(Debug)]
struct Opened {
    sandbox: Sandbox,
    /// The name of its start image, which holds the hashes of all that it is made
    /// from: the runtime, the engine and our guest package.
    image: String,
}

impl Room {
    /// A room with these settings. Nothing is opened yet.
    #[must_use]
    pub fn new(settings: RoomSettings) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let running =
            settings.concurrency.map_or(cores.saturating_mul(2).max(4), NonZeroUsize::get);
        let databases = Databases::new(&settings.sources);
        Self(Arc::new(Parts {
            settings,
            databases,
            home: Once::new(),
            audit: Once::new(),
            store: Once::new(),
            catalog: Once::new(),
            profiles: Once::new(),
            judged: Judged::default(),
            orders: rows::Orders::default(),
            page: Once::new(),
            sandbox: Once::new(),
            engine: Once::new(),
            runs: Queue::new(running, WAITING),
            scans: Queue::new(running, WAITING),
            // A query has one thread that computes all the time.
            queries: Queue::new(cores, WAITING),
        }))
    }

    /// What it was made of.
    #[must_use]
    pub fn settings(&self) -> &RoomSettings {
        &self.0.settings
    }

    /// What a model may see of it.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.0.settings.policy
    }

    /// The databases that its configuration names.
    #[must_use]
    pub fn databases(&self) -> &Databases {
        &self.0.databases
    }

    /// Opens what can be opened without the runtime, so that a folder which
    /// cannot be used is known at the start.
    ///
    /// # Errors
    /// Names the folder.
    pub fn open_folders(&self) -> Result<(), RoomError> {
        self.store()?;
        self.catalog()?;
        Ok(())
    }

    /// Opens the sandbox, so that the first run is fast.
    ///
    /// # Errors
    /// The runtime is not set up, or does not open.
    pub fn warm(&self) -> Result<(), RoomError> {
        self.sandbox().map(drop)
    }

    /// The datasets, by name.
    ///
    /// # Errors
    /// A data folder cannot be read.
    pub fn datasets(&self) -> Result<Vec<DatasetInfo>, RoomError> {
        Ok(self.catalog()?.list()?)
    }

    /// The owner's artifacts, newest first.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn artifacts(&self) -> Result<Vec<ArtifactMeta>, RoomError> {
        Ok(self.store()?.list(&self.0.settings.owner)?)
    }

    /// Statistics of a dataset or an artifact, of `columns` or of all.
    ///
    /// # Errors
    /// There is no such data or column, or it cannot be read.
    pub fn describe(
        &self,
        data: &str,
        columns: Option<&[String]>,
        call: &Call,
    ) -> Result<(Found, Profile), RoomError> {
        let _place = self.0.scans.enter(call)?;
        let found = self.find_table(data, call)?;
        if let Some(columns) = columns {
            self.check_columns(&found, columns, call)?;
        }
        call.enter(format!("describing {data}"));
        // A description that cannot be kept is made each time.
        let kept = self.profiles().ok().map(|kept| (kept, found.content_hash.as_str()));
        let profile = describe(&found.table, columns, kept, &|| call.is_cancelled());
        let mut profile = call.unless_cancelled(profile)?;
        if let Some(meta) = &found.meta {
            profile.know(&meta.sensitive, false);
        }
        let sensitive = self.sensitive(&found)?;
        profile.know(&sensitive, true);
        Ok((found, profile))
    }

    /// Removes what has expired and what was abandoned.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn sweep(&self) -> Result<Swept, RoomError> {
        Ok(self.store()?.sweep()?)
    }

    /// A link that shows one chart or table in a browser on this machine. The listener is
    /// started with the first, and calls `answers`, which knows what a page may ask.
    ///
    /// # Errors
    /// The system gives no port.
    pub(crate) fn link(&self, data: &str, answers: PageCall) -> std::io::Result<String> {
        let room = Arc::downgrade(&self.0);
        let page = self.0.page.get_or_try(|| {
            let answers: Box<Answers> = Box::new(move |name, data, asked| {
                let room = room.upgrade().ok_or("the room is closed")?;
                answers(&Self(room), name, data, asked)
            });
            Page::start(answers)
        })?;
        page.link(data)
    }

    fn home(&self) -> Result<&Home, RoomError> {
        self.0.home.get_or_try(|| Home::open(&self.0.settings.home))
    }

    fn store(&self) -> Result<&Store, RoomError> {
        self.0.store.get_or_try(|| {
            let folder = self.home()?.folder("artifacts")?;
            Ok(Store::open(folder, self.0.settings.store)?)
        })
    }

    fn catalog(&self) -> Result<&Catalog, RoomError> {
        self.0.catalog.get_or_try(|| self.open_catalog(&self.0.settings.data))
    }

    fn profiles(&self) -> Result<&KeptProfiles, RoomError> {
        self.0.profiles.get_or_try(|| Ok(KeptProfiles::open(self.home()?.folder("profiles")?)))
    }

    fn open_catalog(&self, folders: &[PathBuf]) -> Result<Catalog, RoomError> {
        Ok(Catalog::open(folders, self.home()?.folder("converted")?)?)
    }

    // Asked again at each call until it is there: a person may run `dataroom setup`
    // while the server is up.
    fn sandbox(&self) -> Result<&Opened, RoomError> {
        self.0.sandbox.get_or_try(|| {
            let cache = &self.0.settings.cache;
            let missing = || match cache.has_extra() {
                true => RoomError::ExtraNotSetUp,
                false => RoomError::NotSetUp,
            };
            let Ready { runtime, packages, image } = cache.ready().ok_or_else(missing)?;
            let sandbox = Sandbox::open(&runtime, &packages, &image)?;
            cache.note_use();
            let name = image.file_name().unwrap_or_default();
            Ok(Opened { sandbox, image: name.to_string_lossy().into_owned() })
        })
    }
}
