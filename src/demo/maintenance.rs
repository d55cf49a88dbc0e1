//! Jobs of the workshop.

use super::calendar::{Day, FIRST_DAY, LAST_DAY};
use super::company::VESSELS;
use super::rng::Rng;

/// A job on a vessel.
pub struct Job {
    /// The vessel.
    pub vessel_id: i64,
    /// `ENG` engine, `BAT` batteries, `HUL` hull, `NAV` bridge, `SAF` safety, `CAB` cabin.
    pub sys: &'static str,
    /// 1 the vessel may not sail, 2 this week, 3 next docking, 4 when convenient.
    pub prio: i64,
    /// Seconds since 1970.
    pub opened: i64,
    /// Seconds since 1970, None while open.
    pub closed: Option<i64>,
    /// Cents.
    pub cost_ct: i64,
    /// 1 where the yard pays (warranty).
    pub wty: i64,
    /// What was wrong.
    pub note: Option<&'static str>,
}

fn notes(sys: &str) -> &'static [&'static str] {
    match sys {
        "ENG" => {
            &["fuel injector", "cooling water pump", "gearbox oil leak", "exhaust temp high", "starter motor"]
        }
        "BAT" => &["cell imbalance", "charger contactor", "BMS update", "coolant low"],
        "HUL" => &["bow fender", "rust on car deck", "gangway hinge", "antifouling"],
        "NAV" => &["AIS no signal", "radar 2 dead", "VHF ch 16 noise", "gyro drift", "wiper"],
        "SAF" => &["life raft service", "fire pump test failed", "MOB boat davit", "emergency lights"],
        _ => &["toilet blocked", "seat covers", "heater", "coffee machine", "door sensor"],
    }
}

/// Every job, in order of opening.
pub fn jobs(rng: &mut Rng) -> Vec<Job> {
    let mut out = Vec::new();
    for day in (FIRST_DAY.0..=LAST_DAY.0).map(Day) {
        for (vessel_id, ship) in (1..).zip(&VESSELS) {
            let age = (2025 - ship.built).min(40) as f64;
            if ship.laid_up.is_some_and(|laid_up| day >= laid_up) || !rng.chance(0.022 + age * 0.0022) {
                continue;
            }
            out.extend(job(rng, vessel_id, ship.class, day));
        }
    }
    out
}

fn job(rng: &mut Rng, vessel_id: i64, class: &str, day: Day) -> Option<Job> {
    let electric = class == "EL";
    let systems = [
        ("ENG", if electric { 0 } else { 34 }),
        ("BAT", if electric { 30 } else { 0 }),
        ("HUL", 14),
        ("NAV", 15),
        ("SAF", 12),
        ("CAB", 25),
    ];
    let &sys = rng.weighted(&systems)?;
    let &prio = rng.weighted(&match sys {
        "SAF" => [(1, 34), (2, 40), (3, 21), (4, 5)],
        "CAB" => [(1, 1), (2, 17), (3, 38), (4, 44)],
        _ => [(1, 12), (2, 38), (3, 34), (4, 16)],
    })?;
    let opened = day.unix() + 60 * rng.between(300, 1_200);
    let u = rng.unit();
    let slowest = [3.0, 12.0, 90.0, 200.0].get(usize::try_from(prio - 1).ok()?)?;
    let closed = opened + 3_600 + (u * u * slowest * 86_400.0) as i64;
    let base = match sys {
        "ENG" => 1_400_000.0,
        "BAT" => 1_100_000.0,
        "HUL" => 900_000.0,
        "NAV" => 420_000.0,
        "SAF" => 360_000.0,
        _ => 95_000.0,
    };
    let v = rng.unit();
    Some(Job {
        vessel_id,
        sys,
        prio,
        opened,
        closed: (closed < LAST_DAY.plus(1).unix()).then_some(closed),
        cost_ct: ((base * (0.12 + v * v * 1.9)) as i64) / 100 * 100,
        wty: i64::from(rng.chance(if electric { 0.4 } else { 0.07 })),
        note: rng.pick(notes(sys)).copied().filter(|_| !rng.chance(0.12)),
    })
}
