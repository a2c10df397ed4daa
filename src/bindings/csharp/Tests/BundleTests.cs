// What an editor's test runner can say of an installed package: that the library loads, and refuses what is no
// bundle. The answers are tested outside of Unity.
#if UNITY_INCLUDE_TESTS
using NUnit.Framework;

namespace Viewcell.Tests
{
    public class BundleTests
    {
        [Test]
        public void TheLibraryLoadsAndRefusesWhatIsNoBundle()
        {
            ViewcellException error = Assert.Throws<ViewcellException>(() => Bundle.FromBytes(new byte[100]));
            Assert.AreEqual(Status.Format, error.Status);
        }
    }
}
#endif
