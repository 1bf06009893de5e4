//! What a core asks for, judged and done. Effects are taken in order, and the first that goes past a
//! limit or means nothing is a violation: nothing is cut off to fit.

use super::abi::{CMC_MAX_BYTES, CMC_MAX_TIMERS, CMC_MAX_WAITERS, CmcEffect, CmcEffectKind};
use super::env::{Discipline, Env};
use super::environment::{Entry, Environment};
use super::network::Message;
use super::payload::Payload;
use crate::system::{Breach, Stop};

/// Do what `node` asks for.
pub fn take(
    env: &Env,
    environment: &mut Environment,
    node: u8,
    effects: &[CmcEffect],
) -> Result<(), Stop> {
    effects.iter().try_for_each(|effect| take_one(env, environment, node, effect))
}

fn take_one(
    env: &Env,
    environment: &mut Environment,
    node: u8,
    effect: &CmcEffect,
) -> Result<(), Stop> {
    const SEND: u8 = CmcEffectKind::CMC_FX_SEND as u8;
    const ARM: u8 = CmcEffectKind::CMC_FX_ARM as u8;
    const CANCEL: u8 = CmcEffectKind::CMC_FX_CANCEL as u8;
    const PERSIST: u8 = CmcEffectKind::CMC_FX_PERSIST as u8;
    const WAKE: u8 = CmcEffectKind::CMC_FX_WAKE as u8;
    const REPLY: u8 = CmcEffectKind::CMC_FX_REPLY as u8;
    match effect.kind {
        SEND => send(env, environment, node, effect),
        ARM => {
            environment.sides[usize::from(node)].timers.insert(timer(node, effect)?);
            Ok(())
        }
        CANCEL => {
            // One that is not armed stays so.
            let _ = environment.sides[usize::from(node)].timers.remove(timer(node, effect)?);
            Ok(())
        }
        PERSIST => {
            let payload = payload(node, "persist", effect)?;
            let pending = environment.pending(node).len();
            room(node, pending, env.max_persists, "persists", "pending persists of a node")?;
            environment.persist(Entry { node, payload });
            Ok(())
        }
        WAKE => {
            let waiter = effect.id;
            if usize::from(waiter) >= CMC_MAX_WAITERS {
                return cap(
                    "waiters",
                    format!(
                        "node {node} wakes waiter {waiter}, and waiters are 0 to {}",
                        CMC_MAX_WAITERS - 1
                    ),
                );
            }
            environment.sides[usize::from(node)].wakes.insert(waiter);
            Ok(())
        }
        REPLY => {
            let payload = payload(node, "reply", effect)?;
            let given = environment.replies.len();
            room(node, given, env.max_replies, "replies", "entries of the reply log")?;
            environment.replies.push(Entry { node, payload });
            Ok(())
        }
        kind => breach(
            "effect",
            format!("node {node} asks for an effect of kind {kind}, which there is not"),
        ),
    }
}

fn send(
    env: &Env,
    environment: &mut Environment,
    from: u8,
    effect: &CmcEffect,
) -> Result<(), Stop> {
    let to = effect.to;
    if usize::from(to) >= env.nodes {
        return breach(
            "effect",
            format!("node {from} sends to node {to}, and the last is node {}", env.nodes - 1),
        );
    }
    let payload = payload(from, "message", effect)?;
    let gone = environment.sides[usize::from(from)].resets.contains(to);
    if gone && env.network == Discipline::Fifo {
        // It is written into a connection that is no more, whatever its writer knows of that.
        return Ok(());
    }
    let flying = environment.network.messages().len();
    room(from, flying, env.max_messages, "messages", "messages in flight")?;
    environment.network.send(Message { to, from, payload });
    Ok(())
}

/// The timer that an effect is about.
fn timer(node: u8, effect: &CmcEffect) -> Result<u8, Stop> {
    let timer = effect.id;
    if usize::from(timer) < CMC_MAX_TIMERS {
        return Ok(timer);
    }
    let last = CMC_MAX_TIMERS - 1;
    cap("timers", format!("node {node} asks for timer {timer}, and timers are 0 to {last}"))
}

fn payload(node: u8, what: &str, effect: &CmcEffect) -> Result<Payload, Stop> {
    if let Some(payload) = Payload::of(&effect.data, effect.len) {
        return Ok(payload);
    }
    cap("bytes", format!("node {node} asks for a {what} of more than {CMC_MAX_BYTES} bytes"))
}

/// Whether one more fits where there are `count`.
fn room(node: u8, count: usize, most: u8, name: &str, what: &str) -> Result<(), Stop> {
    if count < usize::from(most) {
        return Ok(());
    }
    cap(name, format!("node {node} asks for one more, and there are {most} {what} at most"))
}

fn cap<T>(name: &str, why: String) -> Result<T, Stop> {
    breach(&format!("cap:{name}"), why)
}

fn breach<T>(property: &str, why: String) -> Result<T, Stop> {
    Err(Stop::Violated(Breach { property: property.into(), why }))
}
