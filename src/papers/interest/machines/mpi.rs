//! Ranks that are processes, maybe of several machines, which talk over MPI.

use mpi::datatype::{Partition, PartitionMut};
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives};

use super::transport::{Lost, Transport};

/// This process's end. Where another process dies, MPI ends all of them, and says which it was.
pub struct Mpi {
    world: SimpleCommunicator,
    // Ends MPI when it goes, after the communicator.
    _universe: Universe,
}

impl Mpi {
    /// Begins to talk; `None` where the process has begun before. Without `mpirun` there is one rank.
    pub fn begin() -> Option<Self> {
        let universe = mpi::initialize()?;
        Some(Self {
            world: universe.world(),
            _universe: universe,
        })
    }
}

impl Transport for Mpi {
    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    fn ranks(&self) -> usize {
        self.world.size() as usize
    }

    fn exchange(&mut self, messages: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Lost> {
        // MPI counts bytes in 32 bits.
        let length = |message: &Vec<u8>| i32::try_from(message.len()).expect("less than 2 GB");
        let counts: Vec<i32> = messages.iter().map(length).collect();
        let mut coming = vec![0; counts.len()];
        self.world.all_to_all_into(&counts[..], &mut coming[..]);
        let (mut out, sent) = (messages.concat(), places(&counts));
        let (total, taken) = (coming.iter().sum::<i32>(), places(&coming));
        // The address of an empty vector, 1, is a word of MPI's own: never empty, though it be not read.
        out.push(0);
        let mut buffer = vec![0_u8; total as usize + 1];
        self.world.all_to_all_varcount_into(
            &Partition::new(&out[..], &counts[..], &sent[..]),
            &mut PartitionMut::new(&mut buffer[..], &coming[..], &taken[..]),
        );
        let messages = coming.iter().zip(&taken);
        let message =
            |(&count, &at): (&i32, &i32)| buffer[at as usize..][..count as usize].to_vec();
        Ok(messages.map(message).collect())
    }
}

/// Where each of so many bytes begin.
fn places(counts: &[i32]) -> Vec<i32> {
    let begins = counts.iter().scan(0, |end, count| {
        let begin = *end;
        *end += count;
        Some(begin)
    });
    begins.collect()
}
