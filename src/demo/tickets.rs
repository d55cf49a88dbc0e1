//! Passes, and the tickets that Norhaven sells itself (most passengers use the region's travel card, which is
//! another system).

use super::calendar::{Day, FIRST_DAY, LAST_DAY};
use super::company::ROUTES;
use super::rng::Rng;
use super::sailings::Sailing;
use super::timetable::Trip;

/// A season pass.
pub struct Pass {
    /// `M` month, `Q` quarter, `Y` year, `SE` senior year, `ST` student year.
    pub prod: &'static str,
    /// Where its holder usually boards.
    pub home_pier: Option<&'static str>,
    /// First day.
    pub sold_on: Day,
    /// Last day.
    pub till: Day,
    /// Price in cents.
    pub price_ct: i64,
    /// 1 when the pass was withdrawn; the row is kept.
    pub del: i64,
    /// Position of the route its holder rides.
    route: usize,
    /// Rides, relative to others.
    zeal: u32,
}

/// A ticket, or one ride with a pass.
pub struct Ticket {
    /// The operating day.
    pub day: Day,
    /// Key of the trip, `H/12`.
    pub trip: String,
    /// `A` adult, `C` child, `G` group, `B` bicycle, `P` ride with a pass, `S` staff, `V` void.
    pub kind: &'static str,
    /// Persons.
    pub qty: i64,
    /// Price of the whole ticket in cents; a void ticket keeps it.
    pub fare_ct: i64,
    /// `W` web, `P` phone, `M` machine, `O` on board; None for rides with a pass.
    pub chan: Option<&'static str>,
    /// The pass of a ride.
    pub pass_no: Option<i64>,
}

/// Number of the first pass.
pub const FIRST_PASS: i64 = 30_001;

const PRODUCTS: [((&str, i64, i64), u32); 5] = [
    (("M", 30, 118_000), 40),
    (("Q", 91, 319_000), 18),
    (("Y", 365, 1_090_000), 22),
    (("SE", 365, 545_000), 12),
    (("ST", 365, 654_000), 8),
];

/// The passes sold in both years, in order of sale.
pub fn passes(rng: &mut Rng) -> Vec<Pass> {
    let route_weights: Vec<(usize, u32)> = ROUTES
        .iter()
        .enumerate()
        .map(|(i, r)| (i, if r.code == "YT" { 0 } else { ((1.1 - r.leisure) * 100.0) as u32 }))
        .collect();
    let mut out = Vec::new();
    for day in (FIRST_DAY.0..=LAST_DAY.0).map(Day) {
        let (_, month, of_month) = day.civil();
        let busy = of_month == 1 || (month == 8 && of_month > 14) || (month == 1 && of_month < 10);
        for _ in 0..if busy { rng.between(4, 9) } else { rng.between(0, 4) } {
            let Some(&(prod, days, price)) = rng.weighted(&PRODUCTS) else { continue };
            let Some(&route) = rng.weighted(&route_weights) else { continue };
            let zeal = rng.unit();
            out.push(Pass {
                prod,
                home_pier: (!rng.chance(0.07)).then(|| ROUTES.get(route).map_or("CEN", |r| r.ends[1])),
                sold_on: day,
                till: day.plus(days - 1),
                price_ct: if day >= Day::of(2024, 4, 1) { price + price / 25 } else { price },
                del: i64::from(rng.chance(0.045)),
                route,
                zeal: 1 + (zeal * zeal * zeal * 60.0) as u32,
            });
        }
    }
    out
}

/// Tickets and rides of every sailing, in order of sailing.
pub fn tickets(rng: &mut Rng, trips: &[Trip], sailings: &[Sailing], passes: &[Pass]) -> Vec<Ticket> {
    let mut out = Vec::new();
    for sailing in sailings {
        let Some(trip) = trips.get(sailing.trip) else { continue };
        if trip.route().code == "YT" {
            continue;
        }
        if sailing.ran() {
            let expected = sailing.boarded as f64 * (0.0045 + 0.004 * trip.route().leisure);
            let sold = expected as i64 + i64::from(rng.chance(expected - (expected as i64) as f64));
            for _ in 0..sold {
                out.extend(sale(rng, trip, sailing.day, false));
            }
            if rng.chance((sailing.boarded as f64 / 260.0) * (1.0 - 0.6 * trip.route().leisure)) {
                out.extend(ride(rng, trip, sailing, passes));
            }
        } else if rng.chance(0.22) {
            // Money goes back when the trip does not run; the row stays.
            out.extend(sale(rng, trip, sailing.day, true));
        }
    }
    out
}

fn sale(rng: &mut Rng, trip: &Trip, day: Day, cancelled: bool) -> Option<Ticket> {
    let route = trip.route();
    let kinds = [("A", 62), ("C", 15), ("G", 6), ("B", 8), ("S", 4), ("V", 5)];
    let &sold_as = rng.weighted(&kinds)?;
    let void = cancelled || sold_as == "V";
    let priced_as = if sold_as == "V" { "A" } else { sold_as };
    let qty = match priced_as {
        "G" => rng.between(8, 28),
        "A" => *rng.weighted(&[(1, 62), (2, 29), (3, 6), (4, 3)])?,
        "C" => *rng.weighted(&[(1, 70), (2, 30)])?,
        _ => 1,
    };
    // Prices rose by 4 % with fiscal 2024, rounded to whole crowns.
    let adult =
        if day >= Day::of(2024, 4, 1) { (route.fare_ct * 104 / 100 + 50) / 100 * 100 } else { route.fare_ct };
    let one = match priced_as {
        "C" | "B" => adult / 2,
        "G" => adult * 8 / 10,
        // Booked to the department of the employee, not paid by anyone.
        "S" => adult / 4,
        _ => adult,
    };
    let chan = if priced_as == "S" {
        "O"
    } else {
        *rng.weighted(&[
            ("W", 47 + 6 * u32::from(day >= Day::of(2024, 4, 1))),
            ("P", 7),
            ("M", 24),
            ("O", 22),
        ])?
    };
    let kind = if void { "V" } else { sold_as };
    Some(Ticket { day, trip: trip.key(), kind, qty, fare_ct: one * qty, chan: Some(chan), pass_no: None })
}

/// One ride by a holder of a valid pass for the route, keen riders first.
fn ride(rng: &mut Rng, trip: &Trip, sailing: &Sailing, passes: &[Pass]) -> Option<Ticket> {
    let valid: Vec<(i64, u32)> = (FIRST_PASS..)
        .zip(passes)
        .filter(|(_, p)| {
            p.route == trip.route && p.del == 0 && p.sold_on <= sailing.day && sailing.day <= p.till
        })
        .map(|(no, p)| (no, p.zeal))
        .collect();
    let pass_no = rng.weighted(&valid).copied();
    pass_no?;
    Some(Ticket { day: sailing.day, trip: trip.key(), kind: "P", qty: 1, fare_ct: 0, chan: None, pass_no })
}
