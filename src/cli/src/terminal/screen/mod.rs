//! The screen: a reduction that runs, drawn on the whole terminal. A thread of its own draws it and reads the keys, so
//! that it answers while tests run.
//!
//! Whatever ends the run, also a panic, the terminal is as it was before.

mod draw;
mod editor;
mod model;

use std::io::{self, IsTerminal, Stderr};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::JoinHandle;
use std::time::Duration;

use clreduce_engine::UserRequests;
use clreduce_engine::events::Event;
use clreduce_interestingness::Cancel;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{cursor, execute};

use crate::terminal::interrupt;
use crate::terminal::printing::error_line;
use crate::terminal::statistics::RunStatistics;
use draw::{Choice, View};
pub(crate) use model::Model;

/// A reduction that ends sooner is not drawn: it would be gone before it was read.
const APPEARS_AFTER: Duration = Duration::from_millis(400);
/// Time between two drawings.
const EVERY: Duration = Duration::from_millis(100);

/// The terminal shows the screen. There is one terminal, and one screen in a process.
static IS_OPEN: AtomicBool = AtomicBool::new(false);
/// Held while something is written to the terminal, so that nothing is drawn after it was given back.
static WRITING: Mutex<()> = Mutex::new(());

/// The state that is drawn, and that the keys control.
pub(crate) struct Drawn {
    /// The state of the reduction.
    pub model: Model,
    /// Stops it.
    pub cancel: Cancel,
    /// Skips its passes, and goes on from edits.
    pub requests: UserRequests,
}

/// The screen of one reduction.
pub(crate) struct Screen {
    shared: Arc<ScreenState>,
    thread: Option<JoinHandle<()>>,
}

struct ScreenState {
    model: Mutex<Model>,
    /// The reduction has ended.
    closing: Mutex<bool>,
    closed: Condvar,
    cancel: Cancel,
    requests: UserRequests,
}

impl Screen {
    /// Returns true if there is a terminal that can be drawn on, and a keyboard.
    pub(crate) fn is_possible() -> bool {
        let is_dumb = std::env::var_os("TERM").is_some_and(|name| name == "dumb");
        io::stdin().is_terminal() && io::stderr().is_terminal() && !is_dumb
    }

    /// Starts to draw, in a moment.
    ///
    /// # Errors
    /// When the system starts no thread.
    pub(crate) fn start(drawn: Drawn) -> io::Result<Self> {
        let Drawn { model, cancel, requests } = drawn;
        let shared = Arc::new(ScreenState {
            model: Mutex::new(model),
            closing: Mutex::new(false),
            closed: Condvar::new(),
            cancel,
            requests,
        });
        let drawn = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("screen".to_owned());
        let thread = thread.spawn(move || drawn.run())?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Shows an event.
    pub(crate) fn update(&self, event: &Event, statistics: &RunStatistics) {
        self.shared.model().update(event, statistics);
    }

    /// Shows a line, and prints it when the screen has gone.
    pub(crate) fn line(&self, text: &str) {
        self.shared.model().messages.push(text.to_owned());
    }

    /// Takes the screen away and prints the lines that were shown on it.
    pub(crate) fn close(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        *lock(&self.shared.closing) = true;
        self.shared.closed.notify_all();
        // A panic there has been printed.
        let _ = thread.join();
        restore();
        self.shared.model().messages.drain(..).for_each(|line| error_line(&line));
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.close();
    }
}

/// Gives the terminal back. Called before the process ends, in whatever way.
fn restore() {
    if IS_OPEN.swap(false, Ordering::SeqCst) {
        let _written = wait_for_drawing();
        // A terminal that is gone cannot be restored.
        let _ = disable_raw_mode();
        let _ = execute!(io::stderr(), LeaveAlternateScreen, cursor::Show);
    }
}

/// Waits until nothing is being drawn, but not for ever: a thread that panics may hold what the drawing waits for, or
/// be the one that draws.
fn wait_for_drawing() -> Option<MutexGuard<'static, ()>> {
    for _ in 0..100 {
        match WRITING.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(guard)) => return Some(guard.into_inner()),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
    None
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the terminal. A panic gives it back before its message is printed.
fn open() -> io::Result<Terminal<CrosstermBackend<Stderr>>> {
    let print = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        restore();
        print(panic);
    }));
    interrupt::before_exit(restore);
    let _writing = lock(&WRITING);
    enable_raw_mode()?;
    IS_OPEN.store(true, Ordering::SeqCst);
    execute!(io::stderr(), EnterAlternateScreen, cursor::Hide)?;
    Terminal::new(CrosstermBackend::new(io::stderr()))
}

/// Waits until a key is pressed, and no longer than `limit`.
///
/// # Errors
/// When the terminal has gone. Crossterm would read its end again and again, for ever.
#[cfg(unix)]
fn wait_for_key(limit: Duration) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = io::stdin();
    let mut keyboard = [PollFd::new(&stdin, PollFlags::IN)];
    let limit = Timespec::try_from(limit).map_err(io::Error::other)?;
    match poll(&mut keyboard, Some(&limit)) {
        // A signal is not of interest here: a new size is seen when the screen is drawn.
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    if keyboard[0].revents().intersects(gone) {
        return Err(io::Error::new(io::ErrorKind::NotConnected, "the terminal has gone"));
    }
    Ok(())
}

/// Waits until a key is pressed, and no longer than `limit`.
#[cfg(not(unix))]
fn wait_for_key(limit: Duration) -> io::Result<()> {
    event::poll(limit).map(drop)
}

impl ScreenState {
    fn model(&self) -> MutexGuard<'_, Model> {
        lock(&self.model)
    }

    fn run(&self) {
        let closing = lock(&self.closing);
        let waited = self.closed.wait_timeout_while(closing, APPEARS_AFTER, |closing| !*closing);
        if *waited.unwrap_or_else(PoisonError::into_inner).0 {
            return;
        }
        let colors = console::colors_enabled_stderr();
        let drawn = open().and_then(|mut terminal| self.draw(&mut terminal, colors));
        restore();
        if let Err(error) = drawn {
            let text = format!("note: the terminal cannot be drawn on any more: {error}");
            self.model().messages.push(text);
        }
    }

    fn draw(
        &self,
        terminal: &mut Terminal<CrosstermBackend<Stderr>>,
        colors: bool,
    ) -> io::Result<()> {
        let mut choice = Choice { colors, ..Choice::default() };
        while !*lock(&self.closing) {
            {
                let _writing = lock(&WRITING);
                if !IS_OPEN.load(Ordering::SeqCst) {
                    break;
                }
                terminal.draw(|frame| draw::draw(frame, &self.model(), choice))?;
            }
            wait_for_key(EVERY)?;
            while event::poll(Duration::ZERO)? {
                if let Some(key) = event::read()?.as_key_event() {
                    if key.kind != KeyEventKind::Release && key.code == KeyCode::Char('e') {
                        self.edit(terminal)?;
                        continue;
                    }
                    let page = usize::from(terminal.size()?.height / 2).max(1);
                    self.press(key, page, &mut choice);
                }
            }
        }
        Ok(())
    }

    fn press(&self, key: KeyEvent, page: usize, choice: &mut Choice) {
        if choice.view == View::Program {
            // Beyond the last page, which a key would have to come back from first.
            let last = model::lines_of(&self.model().program).saturating_sub(2 * page);
            choice.scroll = choice.scroll.min(last);
        }
        if key.kind == KeyEventKind::Release {
            return;
        }
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        self.model().notice.clear();
        let mut show = |view| {
            let view = if choice.view == view { View::Commits } else { view };
            *choice = Choice { view, scroll: 0, ..*choice };
        };
        match key.code {
            KeyCode::Char('q') => self.stop(),
            // The terminal sends no signal while it is drawn on.
            KeyCode::Char('c') if is_control => self.stop(),
            KeyCode::Char('s') => {
                self.requests.skip_pass();
                self.model().notice = "skipping the pass".to_owned();
            }
            KeyCode::Char('p') => {
                show(View::Program);
                choice.scroll = self.model().first_line();
            }
            KeyCode::Char('o') => show(View::Output),
            KeyCode::Char('?') => show(View::Keys),
            KeyCode::Down | KeyCode::Char('j') => choice.scroll += 1,
            KeyCode::Up | KeyCode::Char('k') => choice.scroll = choice.scroll.saturating_sub(1),
            KeyCode::PageDown | KeyCode::Char(' ') => choice.scroll += page,
            KeyCode::PageUp => choice.scroll = choice.scroll.saturating_sub(page),
            KeyCode::Home => choice.scroll = 0,
            KeyCode::End => choice.scroll = model::lines_of(&self.model().program),
            _ => {}
        }
    }

    /// Gives the terminal to an editor, and has what it leaves judged. The reduction goes on meanwhile.
    fn edit(&self, terminal: &mut Terminal<CrosstermBackend<Stderr>>) -> io::Result<()> {
        let program = self.model().program.clone();
        let _writing = lock(&WRITING);
        disable_raw_mode()?;
        execute!(io::stderr(), LeaveAlternateScreen, cursor::Show)?;
        let edited = editor::edited(&program);
        enable_raw_mode()?;
        execute!(io::stderr(), EnterAlternateScreen, cursor::Hide)?;
        // All of it is drawn again.
        *terminal = Terminal::new(CrosstermBackend::new(io::stderr()))?;
        self.model().notice = match edited {
            Ok(Some(case)) => {
                self.requests.edit(case);
                "testing the edit".to_owned()
            }
            Ok(None) => "nothing was edited".to_owned(),
            Err(error) => format!("not edited: {error}"),
        };
        Ok(())
    }

    /// Stops the reduction; asked once more, ends the process, as a second Ctrl-C does.
    fn stop(&self) {
        if self.cancel.is_cancelled() {
            interrupt::exit_at_once();
        }
        self.cancel.cancel();
        self.model().notice = "stopping; once more: at once".to_owned();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Read;
    use std::sync::atomic::AtomicUsize;

    use clreduce_testcase::TestCase;
    use portable_pty::{CommandBuilder, PtySize, native_pty_system};

    use super::*;

    #[test]
    #[ignore = "the next test runs it in a terminal"]
    fn panics_on_the_screen() {
        let case = TestCase::single("a.c", b"int a;\n".as_slice()).unwrap();
        let model = Model::new("a.c".to_owned(), case, 1, Arc::new(AtomicUsize::new(0)));
        let drawn = Drawn { model, cancel: Cancel::new(), requests: UserRequests::new() };
        let _screen = Screen::start(drawn).unwrap();
        while !IS_OPEN.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        panic!("the engine has a bug");
    }

    #[test]
    fn a_panic_gives_the_terminal_back_and_is_readable() {
        let pair = native_pty_system().openpty(PtySize::default()).unwrap();
        let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
        command.args([
            "terminal::screen::tests::panics_on_the_screen",
            "--exact",
            "--ignored",
            "--nocapture",
        ]);
        let mut child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut bytes = Vec::new();
        // A terminal whose last program has ended is an error to read from on Linux.
        let _ = pair.master.try_clone_reader().unwrap().read_to_end(&mut bytes);
        child.wait().unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part:?}: {text}"));
        let (entered, left) = (place("\x1b[?1049h"), place("\x1b[?1049l"));
        assert!(entered < left && left < place("the engine has a bug"), "{text}");
        assert!(place("\x1b[?25l") < place("\x1b[?25h"), "the cursor is shown again: {text}");
    }
}
