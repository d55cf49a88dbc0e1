//! The arithmetic on hand-computed trees.

use super::*;

#[test]
fn equation_2_is_the_full_score_less_a_scaled_log_probability() {
    close(reward(&parameters(), 0.0), 100.0);
    close(reward(&parameters(), -3.5), 93.0);
}

#[test]
fn equation_3_has_two_forms() {
    let released = Parameters { uct: Uct::Released, ..parameters() };
    let printed = Parameters { uct: Uct::Printed, ..parameters() };
    // ln 9 = 2.1972245773362196; √(ln 9 / 4) = 0.7411519; √(ln 9) / 4 = 0.3705760.
    close(uct(&released, 50.0, 9, 4), 50.0 + 10.0 * (2.197_224_577_336_219_6_f64 / 4.0).sqrt());
    close(uct(&printed, 50.0, 9, 4), 50.0 + 10.0 * 2.197_224_577_336_219_6_f64.sqrt() / 4.0);
    // A child that was never tried counts as tried once, so the two agree; and so do they after one visit of the parent.
    close(uct(&released, 50.0, 9, 0), uct(&printed, 50.0, 9, 1));
    close(uct(&released, 50.0, 1, 0), 50.0);
    close(uct(&printed, 50.0, 0, 0), 50.0);
}

#[test]
fn equation_6_mixes_step_and_whole() {
    close(mixed(&parameters(), 96.0, 80.0), 0.25 * 96.0 + 0.75 * 80.0);
}

/// A tree of root, two children and a grandchild below the first.
fn small() -> Tree {
    let mut tree = Tree::default();
    for (parent, reward) in [(0, 90.0), (0, 98.0), (1, 80.0)] {
        tree.add(Node { parent: Some(parent), reward, ..Node::default() });
    }
    tree
}

#[test]
fn equation_7_keeps_the_best_mean_of_the_trajectories() {
    let (mut tree, p) = (small(), Parameters { delta: 0.5, ..parameters() });
    // The first trajectory, over nodes 1 and 3, ends in a query of score 70: its steps are worth 75 at the leaf and 80
    // above, so the means are 75 and 77.5; the root has the mean of the steps.
    close(tree.back_propagate(&p, &[0, 1, 3], 70.0), 77.5);
    let values = |tree: &Tree| tree.nodes().iter().map(|node| node.value).collect::<Vec<_>>();
    assert_eq!(values(&tree), [Some(77.5), Some(77.5), None, Some(75.0)]);
    // The second one, over node 2, is worth (98 + 60) / 2 = 79: better at the root, nothing new elsewhere.
    close(tree.back_propagate(&p, &[0, 2], 60.0), 79.0);
    assert_eq!(values(&tree), [Some(79.0), Some(77.5), Some(79.0), Some(75.0)]);
    // The first again with a worse query changes no value, but counts.
    close(tree.back_propagate(&p, &[0, 1, 3], 10.0), 47.5);
    assert_eq!(values(&tree), [Some(79.0), Some(77.5), Some(79.0), Some(75.0)]);
    assert_eq!(tree.nodes().iter().map(|node| node.visits).collect::<Vec<_>>(), [3, 2, 1, 2]);
}

#[test]
fn selection_takes_the_highest_bound_and_simulation_the_best_step() {
    let mut tree = small();
    let p = Parameters { w: 0.0, ..parameters() };
    assert_eq!((tree.select(&p, ROOT), tree.simulate(ROOT)), (Some(2), Some(2)));
    tree.back_propagate(&Parameters { delta: 1.0, ..p.clone() }, &[0, 2], 0.0);
    tree.back_propagate(&Parameters { delta: 0.0, ..p.clone() }, &[0, 1, 3], 99.0);
    // Node 1 has Q 99 after its trajectory; node 2 has 98.
    assert_eq!(tree.select(&p, ROOT), Some(1));
    // N = 2 at the root, 1 below: with much exploration what was tried less often comes first.
    tree.back_propagate(&Parameters { delta: 0.0, ..p.clone() }, &[0, 1, 3], 99.0);
    let curious = Parameters { w: 1000.0, ..p };
    assert_eq!(tree.select(&curious, ROOT), Some(2));
    assert_eq!(tree.select(&curious, 3), None);
}
