//! The crew and the shifts they worked.

use std::collections::{BTreeMap, BTreeSet};

use super::calendar::Day;
use super::company::vessel;
use super::rng::Rng;
use super::sailings::Sailing;

/// A member of the crew.
pub struct Member {
    /// Number of the badge; the table writes it as `NF-0042`.
    pub badge_no: i64,
    /// Given name and family name.
    pub name: String,
    /// `M` master, `O` mate, `E` engineer, `D` deckhand.
    pub rank: &'static str,
    /// Where shifts usually begin.
    pub base_pier: Option<&'static str>,
    /// First day.
    pub hired_on: Day,
    /// Last day, None while employed.
    pub left_on: Option<Day>,
}

/// A rostered shift.
pub struct Shift {
    /// Number of the badge.
    pub badge_no: i64,
    /// The vessel.
    pub vessel_id: i64,
    /// The operating day.
    pub day: Day,
    /// Minutes after midnight.
    pub start_min: i64,
    /// Minutes on duty.
    pub mins: i64,
    /// `W` worked, `S` sick, `L` leave, `N` no-show.
    pub st: &'static str,
}

/// The roster program went live on this day.
pub const ROSTER_SINCE: Day = Day::of(2024, 10, 1);

const GIVEN: [&str; 24] = [
    "Anna", "Bjørn", "Carla", "Daniel", "Elin", "Filip", "Grete", "Håkon", "Ines", "Jonas", "Kari", "Lars",
    "Mira", "Nils", "Oda", "Peder", "Ragna", "Samir", "Tuva", "Ulrik", "Vera", "Yusuf", "Åse", "Øyvind",
];
const FAMILY: [&str; 23] = [
    "Aas",
    "Berg",
    "Costa",
    "Dahl",
    "Eide",
    "Foss",
    "Glenn",
    "Haugen",
    "Iversen",
    "Juhl",
    "Knutsen",
    "Lie",
    "Moen",
    "Nygård",
    "Okoye",
    "Pettersen",
    "Rossi",
    "Solberg",
    "Tangen",
    "Ulven",
    "Vik",
    "Wold",
    "Ødegård",
];
const BASES: [(&str, u32); 5] = [("CEN", 46), ("YRD", 14), ("LYN", 16), ("HAM", 12), ("WES", 12)];

/// The crew, in order of badge.
pub fn members(rng: &mut Rng) -> Vec<Member> {
    let ranks = [("M", 30), ("O", 15), ("E", 20), ("D", 35)];
    let mut names = BTreeSet::new();
    let mut out = Vec::new();
    let mut badge_no = 11;
    while out.len() < 92 {
        let (Some(given), Some(family)) = (rng.pick(&GIVEN), rng.pick(&FAMILY)) else { break };
        let name = format!("{given} {family}");
        if !names.insert(name.clone()) {
            continue;
        }
        let hired_on = Day::of(2004, 1, 5).plus(rng.between(0, 7_300));
        let left = rng.chance(0.17).then(|| Day::of(2023, 6, 1).plus(rng.between(0, 660)));
        out.push(Member {
            badge_no,
            name,
            rank: rng.weighted(&ranks).copied().unwrap_or("D"),
            base_pier: rng.weighted(&BASES).copied().filter(|_| !rng.chance(0.04)),
            hired_on,
            left_on: left.filter(|day| *day > hired_on),
        });
        badge_no += rng.between(1, 4);
    }
    out
}

/// The shifts since the roster program went live: for every vessel and day that it sailed, a master, a deckhand,
/// an engineer where there is an engine, and a second watch on long days.
pub fn shifts(rng: &mut Rng, crew: &[Member], sailings: &[Sailing]) -> Vec<Shift> {
    let busy: BTreeSet<(i64, i64)> = sailings
        .iter()
        .filter(|s| s.ran() && s.day >= ROSTER_SINCE)
        .map(|s| (s.day.0, s.vessel_id))
        .collect();
    let mut roster = Roster { crew, per_week: BTreeMap::new(), today: BTreeSet::new(), shifts: Vec::new() };
    let mut last = None;
    for (day, vessel_id) in busy {
        if last.replace(day) != Some(day) {
            roster.today.clear();
        }
        let day = Day(day);
        let Some(ship) = vessel(vessel_id) else { continue };
        let mut places = vec![("M", 330), ("D", 345)];
        if ship.class != "EL" {
            places.push(("E", 330));
        }
        if ship.seats - ship.crew_seats > 150 {
            places.extend([("O", 345), ("D", 840)]);
        }
        if day.weekday() >= 4 && ship.class == "HSC" {
            places.push(("M", 1_200));
        }
        for (rank, start) in places {
            roster.fill(rng, (rank, start), day, vessel_id);
        }
    }
    roster.shifts
}

/// Shifts a person has in one week at most.
const SHIFTS_A_WEEK: u32 = 6;

struct Roster<'a> {
    crew: &'a [Member],
    /// Shifts by badge and week.
    per_week: BTreeMap<(i64, i64), u32>,
    /// Badges with a shift on the day at hand.
    today: BTreeSet<i64>,
    shifts: Vec<Shift>,
}

impl Roster<'_> {
    /// Fills one place on board: the person rostered, and another one when that person does not come.
    fn fill(&mut self, rng: &mut Rng, (rank, start): (&str, i64), day: Day, vessel_id: i64) {
        let week = (day.0 + 3).div_euclid(7);
        let winter = matches!(day.civil().1, 12 | 1 | 2);
        for _ in 0..2 {
            let free: Vec<i64> = self
                .crew
                .iter()
                .filter(|m| m.rank == rank && m.hired_on <= day && m.left_on.is_none_or(|left| day <= left))
                .map(|m| m.badge_no)
                .filter(|badge| !self.today.contains(badge))
                .filter(|badge| self.per_week.get(&(*badge, week)).is_none_or(|n| *n < SHIFTS_A_WEEK))
                .collect();
            let Some(&badge_no) = rng.pick(&free) else { return };
            self.today.insert(badge_no);
            *self.per_week.entry((badge_no, week)).or_default() += 1;
            let away = [("W", 930), ("S", if winter { 52 } else { 34 }), ("L", 22), ("N", 4)];
            let st = rng.weighted(&away).copied().unwrap_or("W");
            let overtime = if rng.chance(0.28) { rng.between(5, 130) } else { 0 };
            self.shifts.push(Shift {
                badge_no,
                vessel_id,
                day,
                start_min: start + 15 * rng.between(0, 4),
                mins: 480 - 15 * rng.between(0, 6) * i64::from(overtime == 0) + overtime,
                st,
            });
            if st == "W" {
                return;
            }
        }
    }
}
