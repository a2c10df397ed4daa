// What `viewcell bake --progress json` says of its progress, and what else it says. Plain C++, no part of the engine.

#pragma once

#include <cstdlib>
#include <string>

namespace viewcell {

class BakeProgress {
public:
    // The stage at work, how much of it is done, from 0 to 1, and what the program said for people.
    std::string stage, words;
    double done = 0.0;

    // Takes what has come meanwhile, in pieces of any length.
    void read(const std::string &piece) {
        rest += piece;
        for (size_t end; (end = rest.find('\n')) != std::string::npos; rest.erase(0, end + 1)) {
            take(rest.substr(0, end));
        }
    }

    // Takes a last line without an end.
    void finish() {
        if (!rest.empty()) {
            take(rest);
            rest.clear();
        }
    }

private:
    void take(const std::string &line) {
        std::string name, of, total;
        if (!value(line, "stage", name) || !value(line, "done", of) || !value(line, "total", total)) {
            words += line + '\n';
            return;
        }
        stage = name;
        const double all = std::atof(total.c_str());
        done = all > 0.0 ? std::atof(of.c_str()) / all : 0.0;
    }

    // The value of a name, without quotes.
    static bool value(const std::string &line, const std::string &name, std::string &found) {
        const std::string key = '"' + name + "\":";
        size_t from = line.find(key);
        if (line.empty() || line[0] != '{' || from == std::string::npos) {
            return false;
        }
        from += key.size();
        const bool is_quoted = line[from] == '"';
        from += is_quoted;
        found = line.substr(from, line.find_first_of(is_quoted ? "\"" : ",}", from) - from);
        return true;
    }

    std::string rest;
};

} // namespace viewcell
