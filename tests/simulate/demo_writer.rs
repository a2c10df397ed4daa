//! Writes demos of QuakeWorld as servers do: the plain counterpart of the reader. It shares nothing
//! with it, so that both must have the format right.

use viewcell_simulate::trace::Trace;

/// What the server of a demo can do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Server {
    /// Coordinates are floats, and angles two bytes: FTE's extension for great levels.
    pub great: bool,
    /// Coordinates of players and entities are floats: an extension of `MVD1`.
    pub precise: bool,
    /// Bits of FTE's that go with entities.
    pub entities: bool,
    /// Between the players' moves everything is told that a server can tell.
    pub talks: bool,
    /// In which place each player is; those of the trace one after the other if empty.
    pub places: &'static [u8],
}

#[derive(Clone, Default)]
pub struct Message(pub Vec<u8>);

impl Message {
    pub fn byte(mut self, byte: u8) -> Self {
        self.0.push(byte);
        self
    }

    pub fn short(mut self, short: u16) -> Self {
        self.0.extend(short.to_le_bytes());
        self
    }

    pub fn long(mut self, long: u32) -> Self {
        self.0.extend(long.to_le_bytes());
        self
    }

    pub fn float(mut self, float: f32) -> Self {
        self.0.extend(float.to_le_bytes());
        self
    }

    pub fn text(mut self, text: &str) -> Self {
        self.0.extend(text.as_bytes());
        self.byte(0)
    }

    pub fn bytes(mut self, count: usize) -> Self {
        // Any number does, so long as what follows is not mistaken for the end of it.
        self.0.resize(self.0.len() + count, 0xA5);
        self
    }
}

impl Server {
    fn wide(&self) -> bool {
        self.great || self.precise
    }

    fn point(&self) -> usize {
        if self.great { 12 } else { 6 }
    }

    fn angles(&self) -> usize {
        if self.great { 6 } else { 3 }
    }

    /// Bytes of three coordinates of an entity.
    fn origin(&self) -> usize {
        if self.wide() { 12 } else { 6 }
    }

    fn data(&self) -> Message {
        let mut message = Message::default().byte(11);
        let fte = u32::from(self.great) << 15 | if self.entities { 1 << 3 | 1 << 19 } else { 0 };
        if fte != 0 {
            message = message.long(0x5845_5446).long(fte);
        }
        if self.talks {
            message = message.long(0x3245_5446).long(2);
        }
        message = message
            .long(0x3144_564D)
            .long(0x20 | u32::from(self.precise));
        message = message
            .long(28)
            .long(77)
            .text("qw")
            .float(1.5)
            .text("A level");
        (0..10).fold(message, |message, i| message.float(i as f32))
    }

    /// All that can be told besides where players are.
    pub fn talk(&self) -> Vec<Message> {
        let (point, angles) = (self.point(), self.angles());
        let new = |kind: u8| Message::default().byte(kind);
        let mut all = vec![
            new(1),
            new(3).bytes(2),
            new(5).bytes(2),
            new(6).short(0x0123).bytes(1 + point),
            new(6).short(0x8123).bytes(2 + point),
            new(6).short(0xC123).bytes(3 + point),
            new(8).byte(2).text("one\n"),
            new(9).text("//ktx took 1"),
            new(10).byte(1).bytes(angles),
            new(12).byte(3).text("mmnnmm"),
            new(14).byte(1).short(7),
            new(16).bytes(2),
            new(19).bytes(2 + point),
            new(20).bytes(4 + point + angles),
            new(22).bytes(6 + point + angles),
            new(24).byte(0),
            new(26).text("Go"),
            new(27),
            new(28),
            new(29).bytes(point + 3),
            new(30).bytes(point + angles),
            new(31).text("over"),
            new(32).byte(2),
            new(33),
            new(34),
            new(35),
            new(36).bytes(3),
            new(37).bytes(5),
            new(38).bytes(5),
            new(39).bytes(2),
            new(41).short(3).bytes(4),
            new(41).short(0xFFFF).bytes(1),
            new(43).byte(3).bytes(18),
            new(44).byte(1),
            new(46).byte(0).text("a.wav").text("b.wav").text("").byte(0),
            new(47).short(0),
            new(49).float(320.0),
            new(50).float(1.0),
            new(51).byte(2).text("team").text("red"),
            new(52).text("status").text("6 min left"),
            new(53).bytes(2),
            new(54).byte(2).bytes(14),
            new(60).short(300).text("progs/a.mdl").text("").byte(0),
            new(84).bytes(3).short(5).bytes(5),
        ];
        for effect in 0..=13 {
            let length = match effect {
                2 | 12 => 1 + point,
                5 | 6 | 9 => 2 + 2 * point,
                _ => point,
            };
            all.push(new(23).byte(effect).bytes(length));
        }
        let angle = angles / 3;
        let origin = self.origin() / 3;
        // Entity 9 with all plain fields; entity 10 gone; entity 11 with nothing.
        let mut entities = new(48).byte(3).short(9 | 0xBE00).byte(0x7F);
        entities = entities.bytes(5 + 3 * origin + 3 * angle);
        entities = entities.short(10 | 0x4000).short(11);
        if self.great || self.entities {
            // Entity 12 + 512 + 1,024, with a model above 255, a size, and how fat it is.
            entities = entities.short(12 | 0x8000).byte(0x80).byte(0x6D).bytes(4);
            let more = new(21).short(13 | 0x8000).byte(0x80).byte(0x87).byte(0x04);
            let more = more.bytes(if self.entities { 6 } else { 2 });
            all.push(more);
            all.push(new(66).short(14 | 0x0200).bytes(origin));
        }
        all.push(entities.short(0));
        all
    }

    /// The demo of a trace. Positions must be eighths where coordinates are short.
    pub fn demo(&self, trace: &Trace) -> Vec<u8> {
        let mut demo = Vec::new();
        let place = |player: usize| match self.places.get(player) {
            Some(place) => *place,
            None => player as u8,
        };
        // Numbers for the network.
        demo.extend([0, 2, 0, 0, 0, 0, 0, 0, 0, 0]);
        to_all(&mut demo, 0, &self.data().byte(32).byte(0).0);
        let models = Message::default().byte(45).byte(0);
        let models = models.text("maps/a.bsp").text("progs/player.mdl");
        to_all(&mut demo, 0, &models.text("").byte(0).0);
        for player in 0..trace.players.len() {
            let who = Message::default().byte(40).byte(place(player)).long(9);
            let who = who.text(&format!("\\name\\{player}\\*client\\x"));
            to_all(&mut demo, 0, &who.0);
        }
        let mut times: Vec<u64> = Vec::new();
        for spots in &trace.players {
            times.extend(spots.iter().map(|spot| spot.time));
        }
        times.sort_unstable();
        times.dedup();
        let mut now = 0;
        let mut last: Vec<Option<[u32; 6]>> = vec![None; trace.players.len()];
        let mut talk = self.talk().into_iter().cycle();
        for time in times {
            while time - now > 255 {
                to_all(&mut demo, 255, &[]);
                now += 255;
            }
            if self.talks {
                self.aside(&mut demo);
            }
            let mut frame = Message::default();
            for (player, spots) in trace.players.iter().enumerate() {
                let Some(spot) = spots.iter().find(|spot| spot.time == time) else {
                    continue;
                };
                let turn = |angle: f64| (angle / 360.0 * 65_536.0).round() as i64 as u16;
                let mut fields = [0; 6];
                for (field, x) in fields.iter_mut().zip(spot.at) {
                    *field = if self.wide() {
                        (x as f32).to_bits()
                    } else {
                        u32::from((x * 8.0) as i16 as u16)
                    };
                }
                fields[3] = turn(spot.view[0]).into();
                fields[4] = turn(spot.view[1]).into();
                let before = last[player].replace(fields);
                let changed = |i: usize| before.is_none_or(|before| before[i] != fields[i]);
                let mut flags = (0..6).fold(0, |bits, i| bits | u16::from(changed(i)) << i);
                flags |= u16::from(spot.dead) << if time % 2 == 0 { 8 } else { 9 };
                // The first time with all that a player has.
                flags |= if before.is_none() { 0x0CC0 } else { 0 };
                frame = frame.byte(42).byte(place(player)).short(flags).byte(17);
                for (i, field) in fields.into_iter().enumerate().filter(|(i, _)| changed(*i)) {
                    frame = if i < 3 && self.wide() {
                        frame.long(field)
                    } else {
                        frame.short(field as u16)
                    };
                }
                frame = frame.bytes(if before.is_none() { 4 } else { 0 });
                if self.talks {
                    let said = talk.next().unwrap();
                    frame.0.extend(said.0);
                }
            }
            to_all(&mut demo, (time - now) as u8, &frame.0);
            now = time;
        }
        to_all(
            &mut demo,
            0,
            &Message::default().byte(2).text("EndOfDemo").0,
        );
        demo
    }

    /// What some players are told, and what is hidden from old clients.
    fn aside(&self, demo: &mut Vec<u8>) {
        let framed = |head: &[u8], text: &[u8]| {
            let length = (text.len() as u32).to_le_bytes();
            [&[0], head, &length, text].concat()
        };
        demo.extend(framed(&[4 | 3 << 3], b"\x1a anything"));
        demo.extend(framed(&[5 | 31 << 3], &[3, 0, 100]));
        demo.extend(framed(&[3, 0b101, 0, 0, 0], b"\xff\xff"));
        demo.extend(framed(&[3, 0, 0, 0, 0], &[10, 0, 13]));
        demo.extend(framed(&[3, 0, 0, 0, 0], &[1, 0, 0, 0, 10, 0, 13]));
    }
}

/// Adds a message to all.
pub fn to_all(demo: &mut Vec<u8>, milliseconds: u8, told: &[u8]) {
    demo.extend([milliseconds, 6]);
    demo.extend((told.len() as u32).to_le_bytes());
    demo.extend(told);
}
