//! What became of every planned trip: ran, cancelled, late, full.

use super::calendar::{Day, operating_days};
use super::company::{ROUTES, vessel};
use super::rng::Rng;
use super::timetable::Trip;

/// The reading of a vessel whose position was not received at departure.
pub const NO_READING: i64 = -9_999;

/// One planned trip on one day.
pub struct Sailing {
    /// Position in the timetable.
    pub trip: usize,
    /// The vessel, planned or actual.
    pub vessel_id: i64,
    /// The operating day.
    pub day: Day,
    /// `D` departed, `A` ended at another pier, `X` cancelled by the company, `W` cancelled for weather.
    pub state: &'static str,
    /// Seconds after the planned departure; None when cancelled, [`NO_READING`] when not received.
    pub dep_delay_s: Option<i64>,
    /// Passengers counted at the gate.
    pub boarded: i64,
    /// Litres burnt; None for batteries and cancelled trips.
    pub fuel_l: Option<i64>,
    /// Letters: `E` event, `F` fog, `I` ice, `R` relief vessel. None when there are none.
    pub flags: Option<String>,
}

impl Sailing {
    /// Whether passengers were carried.
    pub fn ran(&self) -> bool {
        matches!(self.state, "D" | "A")
    }
}

/// The weather of one day.
struct Weather {
    storm: bool,
    fog: bool,
    ice: bool,
}

fn weather(rng: &mut Rng, day: Day) -> Weather {
    let (_, month, _) = day.civil();
    let (storm, fog, ice) = match month {
        11 | 12 => (0.09, 0.05, 0.03),
        1 | 2 => (0.10, 0.04, 0.16),
        3 => (0.06, 0.06, 0.05),
        4 | 10 => (0.04, 0.07, 0.0),
        _ => (0.008, 0.03, 0.0),
    };
    Weather { storm: rng.chance(storm), fog: rng.chance(fog), ice: rng.chance(ice) }
}

/// Every planned trip of every operating day, in order of day and timetable.
pub fn sailings(rng: &mut Rng, trips: &[Trip]) -> Vec<Sailing> {
    let mut out = Vec::new();
    for day in operating_days() {
        let weather = weather(rng, day);
        let mut board = Board { day, taken: [None; ROUTES.len()] };
        for (index, trip) in trips.iter().enumerate() {
            if trip.sails(day) {
                out.extend(sail(rng, index, trip, &mut board, &weather));
            }
        }
    }
    out
}

fn sail(rng: &mut Rng, index: usize, trip: &Trip, board: &mut Board, weather: &Weather) -> Option<Sailing> {
    let (route, day) = (trip.route(), board.day);
    let (vessel_id, relief) = board.vessel(rng, trip)?;
    let ship = vessel(vessel_id)?;
    let wind = if weather.storm { route.exposed } else { 0.0 };
    let fault = if day.0 % 97 < 4 { 0.05 } else { 0.009 } + if ship.built < 2000 { 0.012 } else { 0.0 };
    let state = if rng.chance(wind * 0.8 + if weather.fog { route.exposed * 0.12 } else { 0.0 }) {
        "W"
    } else if rng.chance(fault) {
        "X"
    } else if rng.chance(0.003 + wind * 0.12) {
        "A"
    } else {
        "D"
    };
    let flags = flags(weather, day, relief);
    let ran = matches!(state, "D" | "A");
    let (dep_delay_s, boarded, fuel_l) = if ran {
        let boarded = boarded(rng, trip, day, ship.seats - ship.crew_seats, weather);
        let nautical_miles = trip.dist_m as f64 / 1852.0;
        let litres = ship.l_per_nm * nautical_miles * (1.0 + 0.06 * rng.bell() + 0.25 * wind);
        let fuel = (litres > 0.0).then_some(litres as i64);
        (Some(delay(rng, trip, day, weather, relief)), boarded, fuel)
    } else {
        (None, 0, None)
    };
    Some(Sailing { trip: index, vessel_id, day, state, dep_delay_s, boarded, fuel_l, flags })
}

/// Which vessel sails which route on one day: one each, and no vessel twice while there is another.
struct Board {
    day: Day,
    taken: [Option<i64>; ROUTES.len()],
}

impl Board {
    /// The vessel of the trip's route and whether it is a relief vessel; None when none is in service.
    fn vessel(&mut self, rng: &mut Rng, trip: &Trip) -> Option<(i64, bool)> {
        let fleet = trip.route().fleet;
        let relief = |id: i64| fleet.iter().position(|v| *v == id).is_some_and(|place| place >= 2);
        if let Some(id) = self.taken.get(trip.route).copied().flatten() {
            return Some((id, relief(id)));
        }
        let fit: Vec<i64> =
            fleet.iter().copied().filter(|id| vessel(*id).is_some_and(|v| v.in_service(self.day))).collect();
        let free: Vec<i64> = fit.iter().copied().filter(|id| !self.taken.contains(&Some(*id))).collect();
        let ranked: Vec<(i64, u32)> =
            if free.is_empty() { fit } else { free }.into_iter().zip([64, 31, 5]).collect();
        let id = *rng.weighted(&ranked)?;
        *self.taken.get_mut(trip.route)? = Some(id);
        Some((id, relief(id)))
    }
}

fn flags(weather: &Weather, day: Day, relief: bool) -> Option<String> {
    let letters: String = [('E', day.event()), ('F', weather.fog), ('I', weather.ice), ('R', relief)]
        .into_iter()
        .filter_map(|(letter, set)| set.then_some(letter))
        .collect();
    (!letters.is_empty()).then_some(letters)
}

/// Whether a departure falls into the weekday rush: 07:00 to 08:59 and 16:00 to 17:59.
fn rush(trip: &Trip, day: Day) -> bool {
    day.weekday() < 5 && ((420..540).contains(&trip.dep_min) || (960..1080).contains(&trip.dep_min))
}

fn boarded(rng: &mut Rng, trip: &Trip, day: Day, sellable: i64, weather: &Weather) -> i64 {
    let route = trip.route();
    let (year, month, _) = day.civil();
    let season = match month {
        6 => 1.15,
        7 => 1.45,
        8 => 1.30,
        5 | 9 => 1.0,
        12 => 0.85,
        1 | 2 => 0.68,
        _ => 0.82,
    };
    let commuters = if day.weekday() < 5 { if month == 7 { 0.62 } else { 1.0 } } else { 0.42 };
    let visitors = season * if day.weekday() >= 5 { 1.25 } else { 0.85 };
    let mut share = route.load * ((1.0 - route.leisure) * commuters + route.leisure * visitors);
    if rush(trip, day) {
        share *= 1.0 + 0.75 * (1.0 - route.leisure);
    }
    if day.event() && route.line != "A" && route.code != "YT" {
        share *= 1.85;
    }
    if weather.storm || weather.fog {
        share *= 0.86;
    }
    if year >= 2024 && month != 1 {
        share *= 1.045;
    }
    share *= 1.0 + 0.17 * rng.bell();
    ((share * sellable as f64) as i64).clamp(0, sellable)
}

fn delay(rng: &mut Rng, trip: &Trip, day: Day, weather: &Weather, relief: bool) -> i64 {
    if rng.chance(0.014) {
        return NO_READING;
    }
    let (_, month, _) = day.civil();
    let route = trip.route();
    let mut late = 0.030 + 0.11 * route.exposed;
    late += if matches!(month, 11 | 12 | 1 | 2) { 0.06 } else { 0.0 };
    late += if month == 7 { 0.03 } else { 0.0 };
    late += if rush(trip, day) { 0.05 } else { 0.0 };
    late += if weather.storm || weather.fog { 0.22 } else { 0.0 };
    late += if day.event() { 0.12 } else { 0.0 };
    late += if relief { 0.09 } else { 0.0 };
    if rng.chance(late) {
        let u = rng.unit();
        300 + (u * u * u * 3_900.0) as i64
    } else if rng.chance(0.012) {
        -61 - rng.between(0, 59)
    } else {
        (70.0 + 62.0 * rng.bell()).clamp(-60.0, 299.0) as i64
    }
}
