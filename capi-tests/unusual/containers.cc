/* build: g++ -O0 -g
 * build: g++ -O2 -g
 * build: clang++ -O2 -g
 * send: ab b3 c1 d2
 * reply: abcd
 * raw_fallbacks: 0
 *
 * Containers, shared pointers and exceptions of C++.
 */
#include "../targets/listener.h"

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>

static std::map<std::string, int> sorted;
static std::unordered_map<std::string, std::shared_ptr<std::string>> hashed;

static void put(const std::string &text)
{
    if (text.size() < 2)
        throw std::runtime_error("too short");
    sorted[text.substr(0, 1) + "-long enough for the heap"] = text[1];
    hashed[text] = std::make_shared<std::string>(text + text);
    if (text[1] == '1')
        throw std::out_of_range(text);
}

int main(int argc, char **argv)
{
    int conn = next_connection(listener_on(own_port(argc, argv)));
    char buf[8] = {};
    ssize_t n;
    while ((n = read(conn, buf, sizeof buf)) > 0) {
        std::string keys;
        try {
            put(std::string(buf, static_cast<size_t>(n)));
        } catch (const std::exception &) {
            // What was put stays.
        }
        for (const auto &pair : sorted)
            keys += pair.first[0];
        if (write(conn, keys.data(), keys.size()) < 0)
            return 9;
        for (char &byte : buf)
            byte = 0;
    }
}
