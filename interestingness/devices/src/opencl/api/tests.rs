//! Tests of the OpenCL interface with a table of functions that only note that they were called.

use std::cell::RefCell;

use super::*;

thread_local! {
    static CALLS: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

/// The result of a function that does nothing: success, or no object.
pub(super) trait Nothing {
    fn nothing() -> Self;
}

impl Nothing for i32 {
    fn nothing() -> Self {
        0
    }
}

impl Nothing for ClObject {
    fn nothing() -> Self {
        null_mut()
    }
}

pub(super) fn note<R: Nothing>(name: &'static str) -> R {
    CALLS.with_borrow_mut(|calls| calls.push(name));
    R::nothing()
}

/// The calls since the last time.
fn calls() -> Vec<&'static str> {
    CALLS.take()
}

struct Fake {
    context: ClContext,
    queue: ClQueue,
    kernel: ClKernel,
}

fn fake() -> Fake {
    let api = OpenClApi(Box::leak(Box::new(ClSymbols::noting())));
    let device = ClDevice { api, id: null_mut() };
    let context = device.context().unwrap();
    let queue = context.queue(device).unwrap();
    let kernel = context.program(b"").unwrap().kernel("k").unwrap();
    calls();
    Fake { context, queue, kernel }
}

#[test]
fn a_kernel_keeps_its_buffers() {
    let Fake { context, queue: _queue, kernel: mut owner } = fake();
    let buffer = context.buffer(&mut [0; 4]).unwrap();
    assert_eq!(owner.set_buffer(0, buffer).unwrap(), 0);
    assert_eq!(calls(), ["clCreateBuffer", "clSetKernelArg"], "the buffer is alive");
    drop(owner);
    assert_eq!(calls(), ["clReleaseKernel", "clReleaseMemObject"]);
}

#[test]
fn sizes_that_do_not_fit_do_not_reach_the_library() {
    let Fake { context: _context, queue, kernel } = fake();
    let wrong: [(&[usize], Option<&[usize]>); 4] =
        [(&[4, 4], Some(&[2])), (&[4], Some(&[2, 2, 2])), (&[1; 4], None), (&[], None)];
    for (global, local) in wrong {
        // SAFETY: the table has no library behind it.
        let launched = unsafe { queue.launch(&kernel, global, local) };
        assert_eq!(launched, Err(ClError(-53)), "{global:?} {local:?}");
    }
    assert!(calls().is_empty());
    // SAFETY: the table has no library behind it.
    unsafe { queue.launch(&kernel, &[4, 4], Some(&[2, 2])) }.unwrap();
    assert_eq!(calls(), ["clEnqueueNDRangeKernel"]);
}
