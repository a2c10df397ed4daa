// A run of the viewcell program that tells how far it is, and can be cancelled. Without types of the engine.

using System;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;

namespace Viewcell.Editor
{
    public sealed class BakeRun : IDisposable
    {
        private static readonly Regex Report = new Regex("\"stage\":\"([^\"]*)\".*\"done\":([0-9]+).*\"total\":([0-9]+)");
        private readonly Process process = new Process();
        private readonly StringBuilder words = new StringBuilder();
        private readonly string command;

        // The stage at work, and how much of it is done, from 0 to 1.
        public string Stage { get; private set; }
        public float Done { get; private set; }

        public BakeRun(string program, string arguments)
        {
            command = program + " " + arguments;
            Stage = "";
            process.StartInfo = new ProcessStartInfo(program, arguments + " --progress json")
            {
                UseShellExecute = false, RedirectStandardError = true, RedirectStandardOutput = true, CreateNoWindow = true,
            };
            process.ErrorDataReceived += (sender, line) => Read(line.Data);
            process.OutputDataReceived += (sender, line) => { };
            try { process.Start(); }
            catch (Exception error)
            {
                throw new InvalidOperationException(program + ": " + error.Message + "; give the path of the viewcell program", error);
            }
            process.BeginErrorReadLine();
            process.BeginOutputReadLine();
        }

        private void Read(string line)
        {
            if (line == null) return;
            lock (words)
            {
                Match report = Report.Match(line);
                if (!report.Success) { words.Append(line).Append('\n'); return; }
                Stage = report.Groups[1].Value;
                double total = double.Parse(report.Groups[3].Value, CultureInfo.InvariantCulture);
                Done = total > 0 ? (float)(double.Parse(report.Groups[2].Value, CultureInfo.InvariantCulture) / total) : 0;
            }
        }

        public bool HasEnded { get { return process.HasExited; } }

        // What it said for people, when it has ended; throws where it failed.
        public string Finish()
        {
            process.WaitForExit();
            lock (words)
            {
                if (process.ExitCode != 0) throw new InvalidOperationException(command + ": exit code " + process.ExitCode + "\n" + words);
                return words.ToString();
            }
        }

        // May leave files of the bake: let it write into a folder that is deleted.
        public void Cancel()
        {
            if (!process.HasExited) process.Kill();
            process.WaitForExit();
        }

        public void Dispose() { process.Dispose(); }
    }
}
