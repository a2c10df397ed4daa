//! A server and its clients end with the same bytes, whatever the network does.

use std::net::UdpSocket;

use viewcell::dice::Dice;
use viewcell_ground::sync::{Client, Link, Manner, Message, Reach, Server, ServerOptions};
use viewcell_ground::{ChangeSet, Effect, Layered, Patches, Rule, Shape, Stamp, Version, encode};

use crate::common::hills;

fn ball(x: f64, y: f64, z: f64, radius: f64, effect: Effect) -> Stamp {
    Stamp {
        shape: Shape::Ellipsoid {
            at: [x, y, z],
            radii: [radius; 3],
        },
        effect,
        rule: Rule::Halfway,
    }
}

fn any_ball(dice: &mut Dice, size: [u32; 2]) -> Stamp {
    let mut number = |most: f64| dice.fraction() * most;
    let (x, y) = (number(size[0].into()), number(size[1].into()));
    let (z, radius) = (number(8.0) - 4.0, 1.0 + number(5.0));
    let effect = [Effect::Dig, Effect::Fill(1), Effect::Fill(2)][dice.roll(3) as usize];
    ball(x, y, z, radius, effect)
}

/// What connects one client with the server: two sockets on the loopback, and what they lose and hold up.
struct Wire {
    ends: [UdpSocket; 2],
    links: [Link; 2],
    /// When it arrives, at which end, what.
    held: Vec<(u64, usize, Vec<u8>)>,
}

impl Wire {
    fn new() -> Self {
        let ends = [(); 2].map(|()| UdpSocket::bind("127.0.0.1:0").unwrap());
        for (i, end) in ends.iter().enumerate() {
            end.connect(ends[1 - i].local_addr().unwrap()).unwrap();
            end.set_nonblocking(true).unwrap();
        }
        Self {
            ends,
            links: [Link::new(60), Link::new(60)],
            held: Vec::new(),
        }
    }

    /// Sends what is due, through the sockets, with delay and loss.
    fn step(&mut self, now: u64, loss: u32, dice: &mut Dice) {
        for end in 0..2 {
            while let Some(packet) = self.links[end].poll(now) {
                if dice.roll(100) >= loss {
                    let at = now + 5 + u64::from(dice.roll(30));
                    self.held.push((at, end, packet));
                }
            }
        }
        for (_, end, packet) in self.held.extract_if(.., |held| held.0 <= now) {
            self.ends[end].send(&packet).unwrap();
        }
        let mut buffer = [0; 2000];
        for end in 0..2 {
            while let Ok(length) = self.ends[end].recv(&mut buffer) {
                self.links[end].receive(&buffer[..length]);
            }
        }
    }

    fn is_idle(&self) -> bool {
        self.held.is_empty() && self.links.iter().all(Link::is_idle)
    }
}

/// Runs until nobody has anything to do. The clock is a number: a millisecond a round.
fn run(server: &mut Server, clients: &mut [Client], loss: u32, dice: &mut Dice) -> u64 {
    let mut wires: Vec<Wire> = clients.iter().map(|_| Wire::new()).collect();
    clients.iter_mut().for_each(Client::begin);
    let mut quiet = 0;
    for now in 0..400_000 {
        for (i, client) in clients.iter_mut().enumerate() {
            client
                .poll(now)
                .iter()
                .for_each(|message| wires[i].links[1].send(message));
            wires[i].step(now, loss, dice);
            while let Some(message) = wires[i].links[1].next_message() {
                client.receive(now, &message).unwrap();
            }
        }
        for i in 0..wires.len() {
            while let Some(message) = wires[i].links[0].next_message() {
                for (to, answer) in server.receive(now, i as u64, &message) {
                    wires[to as usize].links[0].send(&answer);
                }
            }
        }
        let done = clients.iter().all(Client::is_done) && wires.iter().all(Wire::is_idle);
        quiet = if done { quiet + 1 } else { 0 };
        if quiet > 100 {
            return now;
        }
        std::thread::yield_now();
    }
    panic!("they did not come to an end");
}

fn same(server: &Server, client: &Client) -> bool {
    client
        .ground()
        .is_some_and(|ground| encode(ground) == encode(server.ground()))
}

#[test]
fn all_end_with_the_same_bytes_over_a_bad_network() {
    let size = [48, 40];
    for (manner, own) in [
        (Manner::ServerSide, true),
        (Manner::ClientSide { wait: 50 }, true),
        (Manner::ClientSide { wait: 50 }, false),
    ] {
        let mut dice = Dice(11);
        let mut server = Server::new(
            hills(size, 8),
            ServerOptions {
                own,
                ..ServerOptions::default()
            },
        );
        let before = encode(server.ground());
        let mut clients: Vec<Client> = (0..4).map(|_| Client::new(manner, None)).collect();
        for client in &mut clients {
            (0..8).for_each(|_| client.act(any_ball(&mut dice, size)));
        }
        run(&mut server, &mut clients, 15, &mut dice);
        assert!(server.ground().version().number > 20, "{manner:?}");
        assert_ne!(encode(server.ground()), before);
        for (i, client) in clients.iter().enumerate() {
            assert!(same(&server, client), "{manner:?}, client {i}");
            assert_eq!(client.told, Vec::<String>::new());
        }
        if manner != Manner::ServerSide {
            let attempts: u64 = clients.iter().map(|client| client.attempts[0]).sum();
            assert!(attempts >= 32, "{attempts}");
        }
    }
}

#[test]
fn clients_in_one_place_get_in_each_others_way_and_all_is_done() {
    let size = [48, 40];
    let mut dice = Dice(2);
    let mut server = Server::new(hills(size, 9), ServerOptions::default());
    let manner = Manner::ClientSide { wait: 50 };
    let mut clients: Vec<Client> = (0..3).map(|_| Client::new(manner, None)).collect();
    for (i, client) in clients.iter_mut().enumerate() {
        for step in 0..5 {
            let x = 20.0 + f64::from(step);
            let effect = [Effect::Dig, Effect::Fill(1), Effect::Put(2)][i];
            client.act(ball(x, 20.0, 0.0, 4.0, effect));
        }
    }
    run(&mut server, &mut clients, 5, &mut dice);
    let denied: u64 = clients.iter().map(|client| client.attempts[1]).sum();
    assert!(denied > 0, "nobody was denied");
    assert!(clients.iter().all(|client| same(&server, client)));
}

#[test]
fn a_client_that_was_away_catches_up() {
    let size = [48, 40];
    for keep in [1000, 3] {
        let mut dice = Dice(3);
        let options = ServerOptions {
            keep,
            ..ServerOptions::default()
        };
        let mut server = Server::new(hills(size, 10), options);
        let mut clients = vec![
            Client::new(Manner::ServerSide, None),
            Client::new(Manner::ServerSide, None),
        ];
        clients[0].act(any_ball(&mut dice, size));
        run(&mut server, &mut clients, 10, &mut dice);
        let old = clients.pop().unwrap().ground().unwrap().clone();
        (0..9).for_each(|_| clients[0].act(any_ball(&mut dice, size)));
        server.gone(1);
        run(&mut server, &mut clients, 10, &mut dice);
        assert!(old.version().number + 3 < server.ground().version().number);
        clients.push(Client::new(Manner::ServerSide, None).with_ground(old));
        run(&mut server, &mut clients, 10, &mut dice);
        assert!(
            clients.iter().all(|client| same(&server, client)),
            "keeping {keep}"
        );
        assert!(clients[1].told.is_empty());
    }
}

#[test]
fn a_client_that_lies_about_its_version_is_told_so() {
    let size = [48, 40];
    let mut dice = Dice(4);
    let mut server = Server::new(hills(size, 11), ServerOptions::default());
    let mut clients = vec![Client::new(Manner::ServerSide, None)];
    (0..4).for_each(|_| clients[0].act(any_ball(&mut dice, size)));
    run(&mut server, &mut clients, 0, &mut dice);
    let found = server.ground().version();
    for lie in [
        Version {
            number: found.number + 5,
            digest: found.digest,
        },
        Version {
            number: found.number,
            digest: found.digest ^ 1,
        },
        Version {
            number: 1,
            digest: 99,
        },
    ] {
        let hello = Message::Hello {
            version: Some(lie),
            reach: None,
        }
        .encode();
        let answers = server.receive(0, 7, &hello);
        let told = Message::decode(&answers[0].1).unwrap();
        assert_eq!(told, Message::Mistaken { said: lie, found });
        let stamp = ball(20.0, 20.0, 0.0, 3.0, Effect::Dig);
        let refused = Message::Stamp { ticket: 1, stamp }.encode();
        assert!(server.receive(0, 7, &refused).is_empty(), "nobody it knows");
        let mut wrong = clients[0].ground().unwrap().clone();
        wrong.set_version(lie);
        let mut liar = vec![Client::new(Manner::ServerSide, None).with_ground(wrong)];
        run(&mut server, &mut liar, 10, &mut dice);
        assert!(liar[0].told[0].contains("never"), "{:?}", liar[0].told);
        assert!(same(&server, &liar[0]), "and it is given the right ground");
    }
}

/// From the slices that a client was told of upwards, its ground is the server's.
fn part_is_same(server: &Patches, client: &Client, reach: Reach) -> usize {
    let ground = client.ground().unwrap();
    assert_eq!(ground.version(), server.version());
    let inside = ground.frame().patches_in(
        reach.columns[0]..reach.columns[1],
        reach.rows[0]..reach.rows[1],
    );
    let mut told = 0;
    for (patch, (stack, own)) in server.stacks().iter().zip(ground.stacks()).enumerate() {
        let lowest = client.lowest(patch).unwrap();
        assert_eq!(inside.contains(&patch), lowest != i32::MAX);
        if lowest == i32::MAX {
            assert!(own.range().is_empty());
            continue;
        }
        for slice in -60..60 {
            if slice >= lowest {
                assert_eq!(
                    own.slice(slice),
                    stack.slice(slice),
                    "patch {patch}, slice {slice}"
                );
                told += 1;
            } else {
                assert_eq!(own.slice(slice), None);
            }
        }
    }
    told
}

#[test]
fn a_client_gets_what_is_in_reach_and_more_when_somebody_digs_deeper() {
    let size = [64, 64];
    for manner in [Manner::ServerSide, Manner::ClientSide { wait: 50 }] {
        let mut dice = Dice(5);
        let mut server = Server::new(hills(size, 12), ServerOptions::default());
        let reach = Reach {
            columns: [0, 24],
            rows: [0, 24],
            depth: 2,
        };
        let mut clients = vec![Client::new(manner, Some(reach)), Client::new(manner, None)];
        run(&mut server, &mut clients, 10, &mut dice);
        let before = part_is_same(server.ground(), &clients[0], reach);
        clients[0].act(ball(10.0, 10.0, -6.0, 4.0, Effect::Dig));
        clients[1].act(ball(12.0, 12.0, -9.0, 3.0, Effect::Put(1)));
        clients[1].act(ball(50.0, 50.0, 0.0, 5.0, Effect::Dig));
        clients[0].act(ball(11.0, 10.0, -12.0, 4.0, Effect::Dig));
        run(&mut server, &mut clients, 10, &mut dice);
        let after = part_is_same(server.ground(), &clients[0], reach);
        assert!(after > before, "{manner:?}: {before} slices, {after}");
        assert!(same(&server, &clients[1]));
        assert_eq!(server.ground().version().number, 4);
    }
}

#[test]
fn what_was_not_reserved_is_not_changed() {
    let ground = hills([48, 40], 13);
    let mut server = Server::new(ground.clone(), ServerOptions::default());
    server.receive(
        0,
        1,
        &Message::Hello {
            version: None,
            reach: None,
        }
        .encode(),
    );
    let before = encode(server.ground());
    let stamp = ball(20.0, 20.0, 0.0, 4.0, Effect::Dig);
    let plan = |stamp: &Stamp| -> ChangeSet {
        ground.plan(&stamp.cubes(ground.frame()).unwrap(), stamp.effect)
    };
    let changes = |ticket: u32, set: &ChangeSet| {
        Message::Changes {
            ticket,
            bytes: set.encode(),
        }
        .encode()
    };
    let answer = |answers: &[(u64, Vec<u8>)]| Message::decode(&answers[0].1).unwrap();
    let denied = |message: Message| matches!(message, Message::Denied { .. });
    assert!(
        denied(answer(&server.receive(0, 1, &changes(1, &plan(&stamp))))),
        "never asked"
    );
    let reserve = |nodes: u64, stamp: &Stamp| {
        Message::Reserve {
            ticket: 2,
            stamp: stamp.clone(),
            nodes,
        }
        .encode()
    };
    assert!(
        denied(answer(&server.receive(0, 1, &reserve(5, &stamp)))),
        "other nodes than the server's"
    );
    // A client of the library knows how nodes are named.
    let mut client = Client::new(Manner::ClientSide { wait: 50 }, None).with_ground(ground.clone());
    client.act(stamp.clone());
    let asked = client.poll(0).remove(0);
    let granted = answer(&server.receive(0, 1, &asked));
    assert_eq!(granted, Message::Granted { ticket: 1 });
    let elsewhere = plan(&ball(40.0, 30.0, 0.0, 4.0, Effect::Dig));
    assert!(
        denied(answer(&server.receive(0, 1, &changes(1, &elsewhere)))),
        "nodes that are not its own"
    );
    let granted = answer(&server.receive(0, 1, &asked));
    assert_eq!(
        granted,
        Message::Granted { ticket: 1 },
        "a client's own locks"
    );
    let late = answer(&server.receive(101, 1, &changes(1, &plan(&stamp))));
    assert!(denied(late), "after t_lock");
    assert_eq!(encode(server.ground()), before);
    assert_eq!(
        answer(&server.receive(200, 1, &asked)),
        Message::Granted { ticket: 1 }
    );
    let made = answer(&server.receive(250, 1, &changes(1, &plan(&stamp))));
    assert!(matches!(made, Message::Changes { .. }));
    assert_ne!(encode(server.ground()), before);
}

#[test]
fn bytes_that_are_no_message_do_no_harm() {
    let mut server = Server::new(hills([20, 20], 14), ServerOptions::default());
    server.receive(
        0,
        1,
        &Message::Hello {
            version: None,
            reach: None,
        }
        .encode(),
    );
    let before = encode(server.ground());
    let stamp = ball(9.0, 9.0, 0.0, 3.0, Effect::Fill(9));
    let messages = [
        Message::Stamp {
            ticket: 1,
            stamp: stamp.clone(),
        },
        Message::Reserve {
            ticket: 1,
            stamp,
            nodes: 4,
        },
        Message::Changes {
            ticket: 1,
            bytes: vec![1, 2, 3],
        },
    ];
    for message in messages {
        let bytes = message.encode();
        assert_eq!(Message::decode(&bytes), Ok(message));
        for end in 0..bytes.len() {
            assert!(Message::decode(&bytes[..end]).is_err());
        }
        server.receive(0, 1, &bytes);
        server.receive(0, 1, &bytes[..bytes.len() / 2]);
    }
    assert_eq!(
        encode(server.ground()),
        before,
        "a material that there is not"
    );
}
