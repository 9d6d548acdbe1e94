//! Launches of a stream that stand in a line, which a thread takes one after the other as they come. The line is one operation,
//! whatever stands in it.
//!
//! Most of what a launch would cost as an operation is what two threads say to each other: locks and counts of each other's
//! caches, and memory that one of them allocates and the other frees. Here the thread takes all launches that there are at
//! once, and what has run goes back to who launches.
//!
//! A line is open until something else is put behind it, or somebody wants to know when it ends. Its thread stays for a moment
//! when there is nothing left to run. The line has ended as soon as somebody closes it meanwhile: it is seen to have ended by
//! whoever looks, as an operation would be.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;

use super::launch::Ready;
use super::runner::{FEW, Last, Runner, Turn};
use crate::work::job::{Job, Taken, Task};
use crate::work::op::{self, Op, Work};
use crate::work::pool::Pool;
use crate::work::ticks::Ticks;

/// More launches than any line has.
const ENDLESS: u64 = 1 << 62;

pub struct Line {
    runner: Runner,
    state: Mutex<State>,
    news: News,
    /// What the thread has taken.
    taken: Mutex<VecDeque<Ready>>,
}

/// Advanced when a launch is put into the line, and when it is closed. The thread that waits for launches looks at nothing else.
#[repr(align(128))]
struct News(AtomicU32);

struct State {
    /// What nobody has taken.
    waiting: VecDeque<Ready>,
    /// What has run.
    done: Vec<Ready>,
    /// The thread has taken launches that have not ended, or has not come yet.
    runs: bool,
    closed: bool,
    /// The operation has ended or is about to.
    ended: bool,
}

/// What the thread is to do when it has run what it took.
enum Next {
    Run,
    /// Nothing has come yet.
    Linger(u32),
    /// The operation has to be ended, if nobody has.
    End(bool),
}

impl Line {
    /// A line in which one launch stands, and its operation.
    pub fn new(runner: Runner, first: Ready) -> (Arc<Line>, Arc<Op>) {
        let state = State {
            waiting: VecDeque::from([first]),
            done: Vec::new(),
            runs: true,
            closed: false,
            ended: false,
        };
        let line = Arc::new(Line {
            runner,
            state: Mutex::new(state),
            news: News(AtomicU32::new(0)),
            taken: Mutex::default(),
        });
        let in_job = line.clone();
        let work = Work::Blocks(Box::new(move |op| {
            // Who closes the line may end the operation, which is therefore not the job's.
            let of_job = runner.op(Work::Nothing);
            let task = Arc::new(Launched { line: in_job, op });
            (Job::in_turn(task, of_job, runner.priority, ENDLESS), 1)
        }));
        (line, runner.op(work))
    }

    /// Puts a launch into the line, if it is open and runs its launches so. Returns those that have run, to be dropped where no
    /// lock is held; or the launch, if it has no place here.
    pub fn append(&self, runner: Runner, member: Ready) -> Result<Vec<Ready>, Ready> {
        if runner != self.runner {
            return Err(member);
        }
        let done = {
            let mut state = self.state.lock();
            if state.closed {
                return Err(member);
            }
            state.waiting.push_back(member);
            std::mem::take(&mut state.done)
        };
        self.news.0.fetch_add(1, Ordering::Release);
        Ok(done)
    }

    /// Lets no more launches in. Returns whether all have ended, and the operation has to be ended by the caller.
    pub fn close(&self) -> bool {
        let mut state = self.state.lock();
        if state.closed {
            return false;
        }
        state.closed = true;
        let ends = !state.runs && state.waiting.is_empty();
        state.ended = ends;
        drop(state);
        self.news.0.fetch_add(1, Ordering::Release);
        ends
    }

    /// Gives back what has run, and takes what waits.
    fn next(&self, taken: &mut VecDeque<Ready>, ran: &mut Vec<Ready>) -> Next {
        let news = self.news.0.load(Ordering::Acquire);
        let mut state = self.state.lock();
        if !state.waiting.is_empty() {
            state.done.append(ran);
            std::mem::swap(&mut state.waiting, taken);
            state.runs = true;
            return Next::Run;
        }
        state.runs = false;
        if state.closed {
            let ends = !std::mem::replace(&mut state.ended, true);
            ran.append(&mut state.done);
            return Next::End(ends);
        }
        state.done.append(ran);
        Next::Linger(news)
    }
}

/// A thread that runs a launch of a line stays until it has ended, whatever others do.
fn is_brief(member: &Ready) -> bool {
    member.clusters <= FEW && member.task.is_brief()
}

/// The task of a line.
struct Launched {
    line: Arc<Line>,
    op: Arc<Op>,
}

impl Launched {
    /// Ends the job of a line that is closed, and the operation if nobody has.
    fn end(&self, job: &Job, ends: bool) {
        if ends {
            op::finish(&self.op);
        }
        job.stop();
    }
}

impl Task for Launched {
    fn run(&self, job: &Job, slot: u32) {
        let line = &*self.line;
        let claims = Taken::new(job, slot);
        let mut taken = line.taken.lock();
        let (turn, mut last, mut ran) = (Turn::begin(), Last::default(), Vec::new());
        while let Some(number) = claims.claim() {
            let member = loop {
                if let Some(member) = taken.pop_front() {
                    break member;
                }
                match line.next(&mut taken, &mut ran) {
                    Next::Run => {}
                    Next::Linger(news) => {
                        let has_news = || line.news.0.load(Ordering::Relaxed) != news;
                        if !Pool::get().linger(has_news) && line.close() {
                            op::finish(&self.op);
                        }
                        last.is_over();
                    }
                    Next::End(ends) => {
                        return self.end(job, ends);
                    }
                }
            };
            line.runner.run(&member, &mut last);
            ran.push(member);
            if turn.is_over(number, job) {
                line.state.lock().done.append(&mut ran);
                return;
            }
        }
    }

    fn is_brief(&self) -> bool {
        let Some(taken) = self.line.taken.try_lock() else { return false };
        let state = self.line.state.lock();
        taken.front().or(state.waiting.front()).is_some_and(is_brief)
    }

    fn run_briefly(&self, job: &Job, slot: u32) {
        let line = &*self.line;
        let claims = Taken::new(job, slot);
        let mut taken = line.taken.lock();
        let (turn, mut last, mut ran) = (Turn::begin(), Last::default(), Vec::new());
        loop {
            if taken.is_empty() {
                match line.next(&mut taken, &mut ran) {
                    Next::Run => {}
                    // Another thread lingers.
                    Next::Linger(_) => break,
                    Next::End(ends) => {
                        return self.end(job, ends);
                    }
                }
            }
            let Some(member) = taken.pop_front_if(|member| is_brief(member)) else { break };
            if claims.claim().is_none() {
                taken.push_front(member);
                break;
            }
            let begun = Ticks::now();
            line.runner.run(&member, &mut last);
            member.kernel.has_kept(Ticks::since(begun));
            ran.push(member);
            if turn.has_taken_long() {
                break;
            }
        }
        line.state.lock().done.append(&mut ran);
    }
}
