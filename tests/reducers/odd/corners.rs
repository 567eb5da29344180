//! Odd corners of Rust, for tests that cut it to pieces.
#![allow(dead_code, unused_variables)]
#[macro_use]
extern crate alloc as memory;
use std::{collections::{self, HashMap as Map}, fmt::*, io};

pub(crate) mod inner {
    pub mod deeper { pub const fn zero() -> u8 { b'0' } }
    pub use self::deeper::zero;
}

/// A doc comment.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair<'a, A: 'a + ?Sized, const N: usize = 3>
where
    A: Display,
{
    pub left: &'a A,
    right: [u8; N],
    call: fn(i32, ...) -> !,
    object: Box<dyn for<'b> Fn(&'b str) -> Option<&'b str> + Send + 'static>,
}
struct Unit;
struct Tuple(pub i32, (u8, f64), *const u8);
union Both { a: u32, b: f32 }
enum Shape { Empty, Circle(f64), Square { side: f64 }, Number = -1, }

trait Area: Sized {
    type Out: Default;
    const SIDES: usize = 4;
    fn area(&self) -> f64;
    fn twice(mut self: Box<Self>) -> f64 where Self: Copy { self.area() * 2.0 }
}
impl<T> Area for [T] where T: Clone { type Out = (); fn area(&self) -> f64 { 0. } }
impl !Send for Unit {}
unsafe impl<'a, A: ?Sized> Sync for Pair<'a, A> {}

macro_rules! list {
    () => { Vec::new() };
    ($($item:expr),+ $(,)?) => {{ let mut v = Vec::new(); $(v.push($item);)+ v }};
}

static mut COUNT: usize = 0;
const TEXT: &str = "a \"quoted\" \u{1F600} \
    text";
const RAW: &[u8] = br#"raw "text""#;
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

extern "C" { fn puts(s: *const i8) -> i32; static errno: i32; }

pub async unsafe fn odd<'a, T>(x: &'a mut T, (a, b): (i32, i32), _: impl Fn(i32) -> i32) -> Result<()> {
    let Tuple(first, (_, second), ..) = Tuple(1, (2, 3.0e1), 0 as *const _) else { return Ok(()) };
    let v: Vec<i32> = list![1, 2, 3];
    let range = (..=5, 1.., ..);
    'outer: loop {
        while let Some(n) = v.iter().rev().map(|&x| -> i32 { x + 1 }).next() {
            if n > 1 && !(n == 2 || n & 1 == 0) { continue 'outer; } else if let 3 = n { break 'outer } else { }
        }
        for (i, item) in v.iter().enumerate() {
            COUNT += i << 2 >> 1;
        }
        break;
    }
    let value = match first {
        0 | 1 => { "few" }
        n @ 2..=9 if n % 2 == 0 => "some",
        i32::MIN..=-1 => return Err("negative")?,
        ref other => unsafe { std::mem::transmute::<_, &str>(other) },
    };
    let point = Point { x: 1, y, ..Default::default() };
    let Point { x, y: Some(ref mut z), .. } = point;
    let closure = move |a: i32, b| async move { a + b.await? };
    let array = [[0u8; 4]; 2];
    let text = format!("{value:>5} {0:?} {}", array[0][1], b = *x);
    *x = <T as Default>::default();
    let _ = x.0.1.call::<u8>(&&a, &mut b as *mut _ as usize)?;
    const { assert!(1 < 2) };
    if let (Some(a), Ok(b)) | (None, Err(b)) = pair { drop((a, b,)); };
    return Ok(());
}

#[cfg(all(test, not(feature = "slow")))]
mod tests {
    use super::*;
    #[test]
    #[should_panic(expected = "boom")]
    fn panics() { panic!("boom {}", 1 + 2 * 3 - -4) }
}

fn main() {
    let r#type = 1_000_i64 + 0xFF + 0b1010 + 1e3 as i64;
    ((((((r#type))))));
    { { { ; } } }
    println!("{}", if r#type > 0 { 'a' } else { '\n' });
}
