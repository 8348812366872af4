//! The terminal: colours where there is one, errors as a person reads them.

use std::io::{self, IsTerminal as _, Write};
use std::time::Duration;

use dataroom::audience::{Audience, Told as _};
use dataroom::{Call, RoomError};
use indicatif::{ProgressBar, ProgressStyle};

/// How long a command may be silent before it says what it is doing.
const SILENCE: Duration = Duration::from_millis(700);

/// Whether stderr takes colours: a terminal, and the person did not say no.
fn has_colours() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|no| no.is_empty())
}

/// Writes `kind: text`, the kind in its colour.
pub(super) fn note(out: &mut impl Write, kind: &str, text: &str) -> io::Result<()> {
    let colour = if kind == "error" { "1;31" } else { "1;33" };
    if has_colours() {
        writeln!(out, "\x1b[{colour}m{kind}\x1b[0m: {text}")
    } else {
        writeln!(out, "{kind}: {text}")
    }
}

/// Says what went wrong, and why, as far as the first sentence does not say it.
pub(super) fn complain(error: &anyhow::Error) {
    let mut out = io::stderr().lock();
    // What the room refuses has a next step, in the words of a person at a shell.
    let mut text = match error.downcast_ref::<RoomError>() {
        Some(refused) => refused.told(Audience::Person),
        None => error.to_string(),
    };
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text = format!("{text}\n  because: {cause}");
        }
    }
    // There is nobody left to tell if stderr is closed.
    let _ = note(&mut out, "error", text.trim_end());
}

/// Whether the error is that nobody reads stdout any more.
pub(super) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

/// Tells a person who started the server by hand what it waits for.
pub(super) fn greet_if_alone() {
    if io::stdin().is_terminal() {
        let mut out = io::stderr().lock();
        let _ = writeln!(
            out,
            "dataroom serves MCP on stdin and stdout and is started by an MCP client; to end it, \
             press Ctrl-C. To work by hand: dataroom list, describe, run, export, trace."
        );
    }
}

/// A bar for work whose end is known.
pub(super) fn bar(length: u64) -> ProgressBar {
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent:>3}% {elapsed} {wide_msg}") {
        bar.set_style(style);
    }
    bar
}

/// Does `work`, and on a terminal shows what it is at when it takes long.
pub(super) fn watched<T>(call: &Call, work: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        return work();
    }
    let (done, waiting) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if waiting.recv_timeout(SILENCE).is_ok() {
                return;
            }
            let spinner = ProgressBar::new_spinner();
            loop {
                let stage = call.stage();
                let count = match (stage.done, stage.total) {
                    (Some(done), Some(total)) => format!(" ({done} of {total})"),
                    _ => String::new(),
                };
                spinner.set_message(format!("{}{count}", stage.message));
                spinner.tick();
                if waiting.recv_timeout(Duration::from_millis(100))
                    != Err(std::sync::mpsc::RecvTimeoutError::Timeout)
                {
                    break;
                }
            }
            spinner.finish_and_clear();
        });
        let value = work();
        // The watcher may have ended already.
        let _ = done.send(());
        value
    })
}
