// A level as an OBJ file as Unreal's own exporter writes it, positions of players, and a digest of both. Plain C++, no part of the
// engine.

#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace viewcell {

// Triangles and positions in Unreal's coordinates, in centimetres. The file has (x, z, y), which `viewcell bake solid --from unreal`
// expects: this mirrors, and so turns Unreal's fronts, which are counter-clockwise in left-handed coordinates, into fronts of OBJ.
class LevelExport {
public:
    using Point = std::array<double, 3>;

    // Corners in world coordinates, three indices to a triangle; what is not opaque stops players and hides nothing. Parts are
    // written in the order of their names, whatever the order in which they come. False for an index that no corner has.
    bool add(const std::string &name, const std::vector<Point> &corners, const std::vector<uint32_t> &indices, bool is_opaque) {
        for (const uint32_t index : indices) {
            if (index >= corners.size()) {
                return false;
            }
        }
        Part part{is_opaque, corners, indices};
        part.indices.resize(indices.size() / 3 * 3);
        count += part.indices.size() / 3;
        parts.emplace(name, std::move(part));
        return true;
    }

    // A position between the feet of somebody who stands there.
    void add_place(const Point &at) { spots.emplace(line(at), true); }

    size_t triangles() const { return count; }
    size_t places() const { return spots.size(); }

    // The contents of level.obj, level.mtl and places.csv.
    std::string obj() const {
        std::string vertices = "mtllib level.mtl\n", faces;
        size_t before = 1;
        for (const auto &[name, part] : parts) {
            for (const Point &at : part.corners) {
                vertices += "v ";
                vertices += number(at[0]) + ' ' + number(at[2]) + ' ' + number(at[1]) + '\n';
            }
            faces += part.is_opaque ? "usemtl opaque\n" : "usemtl clear\n";
            for (size_t i = 0; i < part.indices.size(); i += 3) {
                faces += 'f';
                for (size_t k = i; k < i + 3; k++) {
                    faces += ' ' + std::to_string(before + part.indices[k]);
                }
                faces += '\n';
            }
            before += part.corners.size();
        }
        return vertices + faces;
    }

    static std::string mtl() { return "newmtl opaque\nd 1\nnewmtl clear\nd 0.5\n"; }

    std::string csv() const {
        std::string lines;
        for (const auto &spot : spots) {
            lines += spot.first + '\n';
        }
        return lines;
    }

    // Of the level, the places and the options of the bake: FNV-1a of 64 bits, which finds what was changed by accident.
    std::string digest(const std::string &options) const {
        uint64_t hash = 0xcbf29ce484222325;
        for (const std::string &text : {obj(), csv(), options}) {
            for (const char byte : text) {
                hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
            }
            hash = (hash ^ 0xff) * 0x100000001b3;
        }
        std::string hex(16, '0');
        for (int i = 15; i >= 0; i--, hash >>= 4) {
            hex[i] = "0123456789abcdef"[hash & 15];
        }
        return hex;
    }

private:
    struct Part {
        bool is_opaque;
        std::vector<Point> corners;
        std::vector<uint32_t> indices;
    };

    // The shortest digits that say the same number, whatever the locale.
    static std::string number(double of) {
        char digits[32];
        return std::string(digits, std::to_chars(digits, digits + sizeof digits, of).ptr);
    }

    static std::string line(const Point &at) { return number(at[0]) + ',' + number(at[1]) + ',' + number(at[2]); }

    std::multimap<std::string, Part> parts;
    std::map<std::string, bool> spots;
    size_t count = 0;
};

} // namespace viewcell
