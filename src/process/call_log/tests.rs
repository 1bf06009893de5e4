use super::*;

/// As the preload writes it down.
fn entry(number: u64, answer: u64, bytes: &[u8]) -> Vec<u8> {
    let mut words = vec![number | (bytes.len() as u64) << 32, 0x5555];
    words.extend([1, 2, 3, 0, 0, 0, answer]);
    let mut entry: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
    entry.extend(bytes);
    entry.resize(entry.len().next_multiple_of(8), 0);
    entry
}

fn check_of(start: u64, bytes: &[u8]) -> u64 {
    bytes.chunks_exact(8).fold(start, |check, word| {
        let word = u64::from_le_bytes(word.try_into().expect("eight bytes"));
        let check = (check ^ word).wrapping_mul(LOG_CHECK_FACTOR);
        check ^ check >> 32
    })
}

/// A log on which the process has written `entries`.
fn log(entries: &[u8]) -> CallLog {
    let mut log = CallLog::new().expect("memfd_create");
    let local = Local::at_start();
    let terms = Terms { local: &local, clock: 1_500_000, identity: 1000, layout: None };
    log.arm(Some(terms)).expect("it is written");
    let mut control = (*log.control).clone();
    control.set(LOG_AT_USED, entries.len() as u64);
    control.set(LOG_AT_CHECK, check_of(control.word(LOG_AT_CHECK), entries));
    log.file.write_all_at(&control.0, 0).expect("it is written");
    log.file.write_all_at(entries, LOG_AT_ENTRIES).expect("it is written");
    log
}

#[test]
fn calls_are_read_as_they_were_written_down() {
    let done = log(&[entry(1, 5, b"hello"), entry(3, 0, b"")].concat()).take().expect("whole");
    let told: Vec<_> = done.entries.iter().map(|e| (e.number, e.answer, &e.bytes[..])).collect();
    assert_eq!(told, [(1, 5, &b"hello"[..]), (3, 0, b"")]);
    assert_eq!(done.entries[0].arguments, [1, 2, 3, 0, 0, 0]);
    assert_eq!(done.kinds, Some(kinds(&Local::at_start())));
}

#[test]
fn what_the_program_writes_over_a_log_is_found() {
    let entries = [entry(1, 5, b"hello"), entry(3, 0, b"")].concat();
    let last = LOG_AT_ENTRIES as usize + entries.len();
    let places = (0..CONTROL).chain(LOG_AT_ENTRIES as usize..last);
    for at in places {
        let mut log = log(&entries);
        let mut byte = [0];
        log.file.read_exact_at(&mut byte, at as u64).expect("it is there");
        log.file.write_all_at(&[byte[0] ^ 1], at as u64).expect("it is written");
        let kinds_were = LOG_AT_KINDS as usize..(LOG_AT_KINDS + LOG_KINDS) as usize;
        match log.take() {
            Err(Unreadable::Overwritten) => assert!(!kinds_were.contains(&at)),
            // They are compared where what was done is known.
            Ok(done) => {
                assert!(kinds_were.contains(&at), "byte {at}");
                assert_ne!(done.kinds, Some(kinds(&Local::at_start())));
            }
            Err(Unreadable::Host(error)) => panic!("{error}"),
        }
    }
}

#[test]
fn a_log_is_empty_behind_what_was_taken() {
    let mut log = log(&entry(3, 0, b""));
    assert_eq!(log.take().expect("whole").entries.len(), 1);
    log.arm(None).expect("it is written");
    assert!(log.take().expect("whole").entries.is_empty());
}

#[test]
fn nothing_is_taken_where_nothing_was_allowed() {
    let mut log = CallLog::new().expect("memfd_create");
    assert_eq!(log.take().expect("whole").kinds, None);
    let entry = entry(3, 0, b"");
    let mut control = (*log.control).clone();
    control.set(LOG_AT_USED, entry.len() as u64);
    control.set(LOG_AT_CHECK, check_of(0, &entry));
    log.file.write_all_at(&control.0, 0).expect("it is written");
    log.file.write_all_at(&entry, LOG_AT_ENTRIES).expect("it is written");
    assert!(matches!(log.take(), Err(Unreadable::Overwritten)));
}
