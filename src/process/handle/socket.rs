//! Sockets: how they come to be, listen, connect and are named.

use super::super::local::{Descriptor, Role, Socket};
use super::super::node::Node;
use super::super::request::Request;
use super::super::step::{Event, Wait, WaitKind};
use super::{Answer, errno, refuse};
use crate::limits;
use crate::system::Stop;

/// The port that stands for "some port that the kernel chose".
const EPHEMERAL: u16 = 49152;
/// 127.0.0.1
const LOOPBACK: [u8; 4] = [127, 0, 0, 1];
const NONBLOCK: &str = "non-blocking descriptors (SOCK_NONBLOCK) are not modelled: use blocking accept \
                        and read, with SO_RCVTIMEO for time-outs";

pub fn socket(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let (domain, kind) = (request.int(0), request.int(1));
    if domain != libc::AF_INET {
        let advice = "only AF_INET is modelled: let the program use IPv4";
        return Err(refuse(node, request, advice));
    }
    if kind & 0xf != libc::SOCK_STREAM {
        let what = match kind & 0xf {
            libc::SOCK_DGRAM => "datagram sockets (SOCK_DGRAM) are",
            libc::SOCK_SEQPACKET => "packet sockets (SOCK_SEQPACKET) are",
            libc::SOCK_RAW => "raw sockets (SOCK_RAW) are",
            _ => "sockets of this type are",
        };
        return Err(refuse(node, request, &format!("{what} not modelled: use SOCK_STREAM")));
    }
    if kind & libc::SOCK_NONBLOCK != 0 {
        return Err(refuse(node, request, NONBLOCK));
    }
    insert(node, Socket::default()).map(|fd| Answer::Return(fd.into()))
}

/// Give a new socket the lowest free descriptor.
fn insert(node: &mut Node, socket: Socket) -> Result<i32, Stop> {
    let open = node.local.descriptors.len();
    if open >= limits::DESCRIPTORS.value {
        return Err(node.breach(
            "cap:descriptors",
            format!("opened more than {} descriptors", limits::DESCRIPTORS.value),
        ));
    }
    let fd = node.local.lowest_free();
    node.local.descriptors.insert(fd, Descriptor::Socket(socket));
    Ok(fd)
}

/// The port in a `struct sockaddr_in`.
fn port_of(address: &[u8]) -> Result<u16, i32> {
    match address {
        [family_low, family_high, high, low, ..] if address.len() >= 16 => {
            let family = u16::from_le_bytes([*family_low, *family_high]);
            match i32::from(family) == libc::AF_INET {
                true => Ok(u16::from_be_bytes([*high, *low])),
                false => Err(libc::EAFNOSUPPORT),
            }
        }
        _ => Err(libc::EINVAL),
    }
}

pub fn bind(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let own = node.setting.ports[node.setting.number];
    let fd = request.int(0);
    if let Err(number) = node.local.socket(fd) {
        return Ok(errno(number));
    }
    let Some(address) = request.input(1) else { return Ok(errno(libc::EFAULT)) };
    let port = match port_of(&address) {
        Ok(port) => port,
        Err(number) => return Ok(errno(number)),
    };
    if port != 0 && port != own {
        let advice = format!(
            "binds port {port}, but the node owns port {own}; set `listen = {port}` in its [[node]], \
             or let the program use {own}"
        );
        return Err(refuse(node, request, &advice));
    }
    let reuse = (libc::SOL_SOCKET, libc::SO_REUSEADDR);
    let set =
        |socket: &Socket| socket.options.get(&reuse).is_some_and(|v| v.iter().any(|&b| b != 0));
    let taken = |mine: bool| {
        move |other: &Socket| {
            other.bound && (other.role == Role::Listening || !(mine && set(other)))
        }
    };
    let socket = node.local.socket(fd).expect("checked above");
    if socket.bound || socket.role != Role::Fresh {
        return Ok(errno(libc::EINVAL));
    }
    let mine = set(socket);
    let conflict = node.local.descriptors.values().any(|descriptor| match descriptor {
        Descriptor::Socket(other) => port != 0 && taken(mine)(other),
        _ => false,
    });
    if conflict {
        return Ok(errno(libc::EADDRINUSE));
    }
    node.local.socket(fd).expect("checked above").bound = port != 0;
    Ok(Answer::Return(0))
}

pub fn listen(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let fd = request.int(0);
    let other_listens = node.local.descriptors.iter().any(|(&other, descriptor)| {
        other != fd && matches!(descriptor, Descriptor::Socket(s) if s.role == Role::Listening)
    });
    match node.local.socket(fd) {
        Err(number) => Ok(errno(number)),
        Ok(socket) => match socket.role {
            Role::Listening => Ok(Answer::Return(0)),
            Role::Connected { .. } => Ok(errno(libc::EINVAL)),
            Role::Fresh if !socket.bound => {
                let own = node.setting.ports[node.setting.number];
                let advice = format!("listens without a port: bind port {own} first");
                Err(refuse(node, request, &advice))
            }
            Role::Fresh if other_listens => Ok(errno(libc::EADDRINUSE)),
            Role::Fresh => {
                socket.role = Role::Listening;
                node.events.push(Event::Listening);
                Ok(Answer::Return(0))
            }
        },
    }
}

pub fn accept(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let fd = request.int(0);
    if request.call.number == libc::SYS_accept4 && request.int(3) & libc::SOCK_NONBLOCK != 0 {
        return Err(refuse(node, request, NONBLOCK));
    }
    match node.local.socket(fd) {
        Err(number) => Ok(errno(number)),
        Ok(socket) if socket.role != Role::Listening => Ok(errno(libc::EINVAL)),
        Ok(socket) => Ok(Answer::Wait(Wait {
            kind: WaitKind::Accept,
            fd,
            capacity: 0,
            timeout: socket.timeout,
        })),
    }
}

/// End an accept on `listener` with a connection; what the call returns.
pub fn accepted(
    node: &mut Node,
    request: &Request,
    listener: i32,
    synthetic: bool,
) -> Result<i64, Stop> {
    let parent = node.local.socket(listener).expect("a node that accepts has its listener").clone();
    let ready = if synthetic { b"T".to_vec() } else { Vec::new() };
    let fd = insert(
        node,
        Socket { role: Role::Connected { dialled: None, shut: false, ready }, ..parent },
    )?;
    node.events.push(Event::Accepted { fd });
    if request.raw(1) != 0 && !give_name(request, EPHEMERAL) {
        // The kernel drops the connection that it cannot name.
        node.local.descriptors.remove(&fd);
        node.events.push(Event::Closed { fd, listener: false });
        return Ok(-i64::from(libc::EFAULT));
    }
    Ok(fd.into())
}

/// Write 127.0.0.1 and `port` through arguments 1 and 2; false is EFAULT.
fn give_name(request: &Request, port: u16) -> bool {
    let mut name = [0; 16];
    name[..2].copy_from_slice(&(libc::AF_INET as u16).to_le_bytes());
    name[2..4].copy_from_slice(&port.to_be_bytes());
    name[4..8].copy_from_slice(&LOOPBACK);
    request.output(1, &name).is_some() && request.output(2, &16u32.to_le_bytes()).is_some()
}

pub fn connect(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let fd = request.int(0);
    if let Err(number) = node.local.socket(fd) {
        return Ok(errno(number));
    }
    let Some(address) = request.input(1) else { return Ok(errno(libc::EFAULT)) };
    let port = match port_of(&address) {
        Ok(port) => port,
        Err(number) => return Ok(errno(number)),
    };
    let [a, b, c, d] = [address[4], address[5], address[6], address[7]];
    if a != LOOPBACK[0] && [a, b, c, d] != [0; 4] {
        let advice = format!(
            "dials {a}.{b}.{c}.{d}, port {port}: nodes are reached at 127.0.0.1 only, and nothing \
             leaves the checker; configure the program to dial nodes there"
        );
        return Err(refuse(node, request, &advice));
    }
    let Some(owner) = node.setting.ports.iter().position(|&owned| owned == port) else {
        let advice = format!(
            "dials port {port}, which no node owns; nodes own {:?}: add a node, or set its `listen`",
            node.setting.ports
        );
        return Err(refuse(node, request, &advice));
    };
    let socket = node.local.socket(fd).expect("checked above");
    if socket.role != Role::Fresh {
        return Ok(errno(libc::EISCONN));
    }
    socket.role = Role::Connected { dialled: Some(port), shut: false, ready: Vec::new() };
    node.events.push(Event::Dialled { fd, owner });
    Ok(Answer::Return(0))
}

pub fn shutdown(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let (fd, how) = (request.int(0), request.int(1));
    match node.local.socket(fd) {
        Err(number) => return Ok(errno(number)),
        Ok(Socket { role: Role::Connected { shut, .. }, .. }) => match how {
            libc::SHUT_WR if !*shut => {
                *shut = true;
                node.events.push(Event::Shut { fd });
            }
            libc::SHUT_WR => {}
            libc::SHUT_RD | libc::SHUT_RDWR => {
                let advice = "shutting the reading half is not modelled: use SHUT_WR, or close";
                return Err(refuse(node, request, advice));
            }
            _ => return Ok(errno(libc::EINVAL)),
        },
        Ok(Socket { role: Role::Listening, .. }) => {
            let advice = "shutting a listener is not modelled: close it";
            return Err(refuse(node, request, advice));
        }
        Ok(_) => return Ok(errno(libc::ENOTCONN)),
    }
    Ok(Answer::Return(0))
}

/// Options that change nothing in the model, with their value where none was set.
const OPTIONS: [(i32, i32, i32); 17] = [
    (libc::SOL_SOCKET, libc::SO_REUSEADDR, 0),
    (libc::SOL_SOCKET, libc::SO_REUSEPORT, 0),
    (libc::SOL_SOCKET, libc::SO_KEEPALIVE, 0),
    (libc::SOL_SOCKET, libc::SO_BROADCAST, 0),
    (libc::SOL_SOCKET, libc::SO_OOBINLINE, 0),
    (libc::SOL_SOCKET, libc::SO_SNDBUF, 87_040),
    (libc::SOL_SOCKET, libc::SO_RCVBUF, 131_072),
    (libc::SOL_SOCKET, libc::SO_SNDTIMEO, 0),
    (libc::SOL_SOCKET, libc::SO_LINGER, 0),
    (libc::SOL_SOCKET, libc::SO_PRIORITY, 0),
    (libc::IPPROTO_TCP, libc::TCP_NODELAY, 0),
    (libc::IPPROTO_TCP, libc::TCP_KEEPIDLE, 7200),
    (libc::IPPROTO_TCP, libc::TCP_KEEPINTVL, 75),
    (libc::IPPROTO_TCP, libc::TCP_KEEPCNT, 9),
    (libc::IPPROTO_TCP, libc::TCP_USER_TIMEOUT, 0),
    (libc::IPPROTO_TCP, libc::TCP_QUICKACK, 1),
    (libc::IPPROTO_IP, libc::IP_TOS, 0),
];

fn option_default(level: i32, name: i32) -> Option<i32> {
    OPTIONS.iter().find(|&&(l, n, _)| (l, n) == (level, name)).map(|&(_, _, value)| value)
}

/// What the kernel keeps of an option's value, whose first bytes it looks at.
fn kept(level: i32, name: i32, mut value: Vec<u8>) -> Vec<u8> {
    let switch = match level {
        libc::SOL_SOCKET => matches!(
            name,
            libc::SO_REUSEADDR
                | libc::SO_REUSEPORT
                | libc::SO_KEEPALIVE
                | libc::SO_BROADCAST
                | libc::SO_OOBINLINE
        ),
        _ => (level, name) == (libc::IPPROTO_TCP, libc::TCP_NODELAY),
    };
    value.truncate(match (level, name) {
        (libc::SOL_SOCKET, libc::SO_SNDTIMEO) => 16,
        (libc::SOL_SOCKET, libc::SO_LINGER) => 8,
        _ => 4,
    });
    match switch {
        true => i32::from(value.iter().any(|&byte| byte != 0)).to_le_bytes().to_vec(),
        false => value,
    }
}

pub fn set_option(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let (fd, level, name) = (request.int(0), request.int(1), request.int(2));
    if let Err(number) = node.local.socket(fd) {
        return Ok(errno(number));
    }
    let Some(value) = request.input(3) else { return Ok(errno(libc::EFAULT)) };
    let timeout = (level, name) == (libc::SOL_SOCKET, libc::SO_RCVTIMEO);
    if !timeout && option_default(level, name).is_none() {
        let advice = "this option is not modelled: leave it out when checking";
        return Err(refuse(node, request, advice));
    }
    if timeout && value.len() < 16 || value.len() < 4 {
        return Ok(errno(libc::EINVAL));
    }
    let socket = node.local.socket(fd).expect("checked above");
    if timeout {
        let word =
            |at: usize| i64::from_le_bytes(value[at..at + 8].try_into().expect("eight bytes"));
        let (seconds, micros) = (word(0), word(8));
        if !(0..1_000_000).contains(&micros) {
            return Ok(errno(libc::EDOM));
        }
        // A negative time-out is stored by the kernel as "do not wait at all".
        let total = seconds.checked_mul(1_000_000).and_then(|total| total.checked_add(micros));
        match total {
            Some(total) if total >= 0 => socket.timeout = Some(total).filter(|&total| total > 0),
            _ => {
                let advice = "a time-out of this size is not modelled: use 1 µs to 292,000 years";
                return Err(refuse(node, request, advice));
            }
        }
    } else {
        socket.options.insert((level, name), kept(level, name, value));
    }
    Ok(Answer::Return(0))
}

pub fn get_option(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let (fd, level, name) = (request.int(0), request.int(1), request.int(2));
    let socket = match node.local.socket(fd) {
        Ok(socket) => socket,
        Err(number) => return Ok(errno(number)),
    };
    let number = |value: i32| value.to_le_bytes().to_vec();
    let value = match (level, name) {
        (libc::SOL_SOCKET, libc::SO_ERROR) => number(0),
        (libc::SOL_SOCKET, libc::SO_TYPE) => number(libc::SOCK_STREAM),
        (libc::SOL_SOCKET, libc::SO_DOMAIN) => number(libc::AF_INET),
        (libc::SOL_SOCKET, libc::SO_PROTOCOL) => number(libc::IPPROTO_TCP),
        (libc::SOL_SOCKET, libc::SO_ACCEPTCONN) => number((socket.role == Role::Listening).into()),
        (libc::SOL_SOCKET, libc::SO_RCVTIMEO) => {
            let timeout = socket.timeout.unwrap_or(0);
            let halves = [timeout / 1_000_000, timeout % 1_000_000];
            halves.iter().flat_map(|half| half.to_le_bytes()).collect()
        }
        _ => match (socket.options.get(&(level, name)), option_default(level, name)) {
            (Some(value), _) => value.clone(),
            (None, Some(_)) if name == libc::SO_SNDTIMEO && level == libc::SOL_SOCKET => {
                vec![0; 16]
            }
            (None, Some(_)) if name == libc::SO_LINGER && level == libc::SOL_SOCKET => vec![0; 8],
            (None, Some(default)) => number(default),
            (None, None) => {
                let advice = "this option is not modelled: leave it out when checking";
                return Err(refuse(node, request, advice));
            }
        },
    };
    let Some(written) = request.output(3, &value) else { return Ok(errno(libc::EFAULT)) };
    match request.output(4, &(written as u32).to_le_bytes()) {
        Some(_) => Ok(Answer::Return(0)),
        None => Ok(errno(libc::EFAULT)),
    }
}

pub fn own_name(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let own = node.setting.ports[node.setting.number];
    let port = match node.local.socket(request.int(0)) {
        Err(number) => return Ok(errno(number)),
        Ok(Socket { bound: true, .. }) => own,
        Ok(Socket { role: Role::Connected { dialled: Some(_), .. }, .. }) => EPHEMERAL,
        Ok(Socket { role: Role::Connected { .. }, .. }) => own,
        Ok(_) => 0,
    };
    Ok(if give_name(request, port) { Answer::Return(0) } else { errno(libc::EFAULT) })
}

pub fn peer_name(node: &mut Node, request: &Request) -> Result<Answer, Stop> {
    let port = match node.local.socket(request.int(0)) {
        Err(number) => return Ok(errno(number)),
        Ok(Socket { role: Role::Connected { dialled, .. }, .. }) => dialled.unwrap_or(EPHEMERAL),
        Ok(_) => return Ok(errno(libc::ENOTCONN)),
    };
    Ok(if give_name(request, port) { Answer::Return(0) } else { errno(libc::EFAULT) })
}
