//! Rows into SQLite.

use rusqlite::{Connection, params};

use super::company::{PIERS, ROUTES, VESSELS};
use super::rng::Rng;
use super::sailings::Sailing;
use super::tickets::FIRST_PASS;
use super::timetable::Trip;
use super::{DemoError, crew, maintenance, sailings, tickets, timetable};

/// The tables, as the database declares them. Only some of the foreign keys are declared, as in real life.
pub const SCHEMA: &str = include_str!("schema.sql");

/// The demo database as the bytes of a SQLite file. One table group draws from one seed, so that a change in one
/// leaves the rows of the others as they are.
pub fn database() -> Result<Vec<u8>, DemoError> {
    let mut db = Connection::open_in_memory()?;
    db.execute_batch("PRAGMA page_size = 4096; PRAGMA encoding = 'UTF-8';")?;
    db.execute_batch(SCHEMA)?;
    let tx = db.transaction()?;
    company(&tx)?;
    let trips = timetable::trips();
    for t in &trips {
        tx.prepare_cached("INSERT INTO timetable VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")?.execute(params![
            t.key(),
            t.route as i64 + 1,
            t.per,
            t.dow,
            t.from,
            t.to,
            t.dep_min,
            t.run_min,
            t.dist_m
        ])?;
    }
    let sailed = sailings::sailings(&mut Rng::new(1968), &trips);
    write_sailings(&tx, &trips, &sailed)?;
    write_tickets(&tx, &trips, &sailed)?;
    write_crew(&tx, &sailed)?;
    for j in maintenance::jobs(&mut Rng::new(1931)) {
        tx.prepare_cached(
            "INSERT INTO maintenance (vessel_id, sys, prio, opened, closed, cost_ct, wty, note)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            j.vessel_id,
            j.sys,
            j.prio,
            j.opened,
            j.closed,
            j.cost_ct,
            j.wty,
            j.note
        ])?;
    }
    tx.commit()?;
    db.execute_batch("VACUUM")?;
    Ok(db.serialize("main")?.to_vec())
}

fn company(db: &Connection) -> rusqlite::Result<()> {
    for (id, r) in (1..).zip(&ROUTES) {
        db.prepare_cached("INSERT INTO routes VALUES (?, ?, ?, ?, ?, ?)")?.execute(params![
            id,
            r.code,
            r.name,
            r.line,
            r.map_order,
            r.opened
        ])?;
    }
    for p in &PIERS {
        db.prepare_cached("INSERT INTO piers VALUES (?, ?, ?, ?, ?)")?.execute(params![
            p.code,
            p.name,
            p.zone,
            p.depth_cm,
            p.step_free
        ])?;
    }
    for (id, v) in (1..).zip(&VESSELS) {
        db.prepare_cached("INSERT INTO vessels VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")?.execute(params![
            id,
            v.name,
            v.class,
            v.built,
            v.seats,
            v.crew_seats,
            v.home_pier,
            v.class_until,
            v.laid_up.map(|day| day.text())
        ])?;
    }
    Ok(())
}

fn write_sailings(db: &Connection, trips: &[Trip], sailed: &[Sailing]) -> rusqlite::Result<()> {
    let mut insert = db.prepare(
        "INSERT INTO sailings (vessel_id, op_day, op_line, trip_no, state, dep_delay_s, boarded, fuel_l, flags)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    for s in sailed {
        let Some(trip) = trips.get(s.trip) else { continue };
        insert.execute(params![
            s.vessel_id,
            s.day.text(),
            trip.route().line,
            trip.trip_no,
            s.state,
            s.dep_delay_s,
            s.boarded,
            s.fuel_l,
            s.flags
        ])?;
    }
    Ok(())
}

fn write_tickets(db: &Connection, trips: &[Trip], sailed: &[Sailing]) -> rusqlite::Result<()> {
    let mut rng = Rng::new(2016);
    let passes = tickets::passes(&mut rng);
    for (no, p) in (FIRST_PASS..).zip(&passes) {
        db.prepare_cached("INSERT INTO passes VALUES (?, ?, ?, ?, ?, ?, ?)")?.execute(params![
            no,
            p.prod,
            p.home_pier,
            p.sold_on.number(),
            p.till.text(),
            p.price_ct,
            p.del
        ])?;
    }
    for t in tickets::tickets(&mut rng, trips, sailed, &passes) {
        db.prepare_cached(
            "INSERT INTO tickets (day, trip, kind, qty, fare_ct, chan, pass_no) VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![t.day.number(), t.trip, t.kind, t.qty, t.fare_ct, t.chan, t.pass_no])?;
    }
    Ok(())
}

fn write_crew(db: &Connection, sailed: &[Sailing]) -> rusqlite::Result<()> {
    let mut rng = Rng::new(1959);
    let members = crew::members(&mut rng);
    for m in &members {
        db.prepare_cached("INSERT INTO crew VALUES (?, ?, ?, ?, ?, ?)")?.execute(params![
            format!("NF-{:04}", m.badge_no),
            m.name,
            m.rank,
            m.base_pier,
            m.hired_on.text(),
            m.left_on.map(|day| day.text())
        ])?;
    }
    for s in crew::shifts(&mut rng, &members, sailed) {
        db.prepare_cached(
            "INSERT INTO crew_shifts (badge_no, vessel_id, day, start_min, mins, st) VALUES (?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![s.badge_no, s.vessel_id, s.day.text(), s.start_min, s.mins, s.st])?;
    }
    Ok(())
}
