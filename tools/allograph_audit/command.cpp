// allograph-audit: runs a program with liballograph_audit.so preloaded and says what its graphs' reports found.
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr const char* usage = R"(usage: allograph-audit run [--output FOLDER] [--fail-on-findings] [--] PROGRAM [ARGUMENTS]
       allograph-audit show FOLDER

run   runs PROGRAM; each CUDA graph that it instantiates is audited, and a report written to FOLDER (allograph-audit) as
      text, JSON, HTML and Graphviz. The program's output and exit status stay its own; the summary goes to stderr.
      With --fail-on-findings the exit status is 99 where the program's is 0 and a graph breaks a rule.
show  prints the reports' findings.

ALLOGRAPH_AUDIT_GRAPHS (1000)    graphs of a process that are audited
ALLOGRAPH_AUDIT_NODES (100000)   nodes that an audited graph may have
ALLOGRAPH_AUDIT_BYTES (1 GiB)    bytes of a process's reports, past which no more graphs are audited
)";

constexpr int cannot_run = 125;  // as env and timeout say it; 126 and 127 as a shell does
constexpr int found_something = 99;

[[noreturn]] void stop(const std::string& what, int status = cannot_run) {
    std::fprintf(stderr, "allograph-audit: %s\n", what.c_str());
    std::exit(status);
}

// --- the reports of a folder -----------------------------------------------------------------------------------------

struct summary {
    std::size_t graphs = 0;
    std::map<std::string, std::size_t> errors;
    std::map<std::string, std::size_t> notes;
    std::size_t failed = 0;
    std::size_t skipped = 0;
    std::vector<std::string> reports;      ///< every graph's file without its ending
    std::vector<std::string> with_errors;  ///< of these, what breaks a rule
};

void count(const std::string& rules, std::map<std::string, std::size_t>& into) {
    std::istringstream list(rules == "-" ? "" : rules);
    for (std::string rule; std::getline(list, rule, ',');) {
        ++into[rule];
    }
}

std::string counts(const std::map<std::string, std::size_t>& rules) {
    std::string text;
    std::size_t all = 0;
    for (const auto& [rule, times] : rules) {
        text += (text.empty() ? "" : ", ") + rule + (times == 1 ? "" : " x" + std::to_string(times));
        all += times;
    }
    return text.empty() ? "0" : std::to_string(all) + " (" + text + ")";
}

/// Reads index.tsv, which the library adds lines to. @param from  bytes of it that are of earlier runs
summary read(const std::string& folder, std::streamoff from = 0) {
    summary all;
    std::map<std::string, bool> erroneous;
    std::ifstream index(folder + "/index.tsv");
    index.seekg(from);
    for (std::string line; std::getline(index, line);) {
        std::istringstream fields(line);
        std::string kind, report, nodes, errors, notes;
        std::getline(fields, kind, '\t');
        std::getline(fields, report, '\t');
        std::getline(fields, nodes, '\t');
        std::getline(fields, errors, '\t');
        std::getline(fields, notes, '\t');
        if (kind == "graph") {
            ++all.graphs;
            count(errors, all.errors);
            count(notes, all.notes);
            all.reports.push_back(report);
            erroneous[report] = errors != "-";
        } else if (kind == "relaunch") {  // a note became an error
            count(nodes, all.errors);
            erroneous[report] = true;
            std::map<std::string, std::size_t> risen;
            count(nodes, risen);
            for (const auto& [rule, times] : risen) {
                if (auto& left = all.notes[rule]; left <= times) {
                    all.notes.erase(rule);
                } else {
                    left -= times;
                }
            }
        } else if (kind == "failed") {
            ++all.failed;
        } else if (kind == "skipped") {
            ++all.skipped;
        }
    }
    for (const std::string& report : all.reports) {
        if (erroneous[report]) {
            all.with_errors.push_back(report);
        }
    }
    return all;
}

void print(const summary& all, const std::string& folder) {
    if (all.graphs + all.skipped == 0) {
        std::fprintf(stderr, "allograph-audit: no graph was instantiated\n");
    } else {
        std::fprintf(stderr, "allograph-audit: graphs %zu, findings %s, notes %s", all.graphs, counts(all.errors).c_str(),
                     counts(all.notes).c_str());
        if (all.failed != 0) {
            std::fprintf(stderr, ", not instantiable %zu", all.failed);
        }
        if (all.skipped != 0) {
            std::fprintf(stderr, ", not audited %zu (index.tsv says why)", all.skipped);
        }
        std::fprintf(stderr, "; reports in %s\n", folder.c_str());
        constexpr std::size_t most = 10;
        for (std::size_t i = 0; i < all.with_errors.size() && i < most; ++i) {
            std::fprintf(stderr, "allograph-audit: %s/%s.html\n", folder.c_str(), all.with_errors[i].c_str());
        }
        if (all.with_errors.size() > most) {
            std::fprintf(stderr, "allograph-audit: and %zu more; `allograph-audit show %s` prints them\n",
                         all.with_errors.size() - most, folder.c_str());
        }
    }
    if (std::ifstream errors(folder + "/errors.txt"); errors) {
        std::fprintf(stderr, "allograph-audit: something went wrong: %s/errors.txt\n", folder.c_str());
    }
}

int show(const std::string& folder) {
    if (!std::ifstream(folder + "/index.tsv")) {
        stop("there are no reports in " + folder, 1);
    }
    const summary all = read(folder);
    for (const std::string& report : all.reports) {
        std::ifstream text(folder + "/" + report + ".txt");
        std::printf("%s/%s\n", folder.c_str(), report.c_str());
        for (std::string line; std::getline(text, line);) {
            std::printf("    %s\n", line.c_str());
        }
    }
    std::fflush(stdout);
    print(all, folder);
    return all.with_errors.empty() ? 0 : 1;
}

// --- running ---------------------------------------------------------------------------------------------------------

std::string here() {
    char path[PATH_MAX];
    const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
    const std::string file(path, size > 0 ? static_cast<std::size_t>(size) : 0);
    return file.substr(0, file.rfind('/'));
}

std::string library() {
    std::vector<std::string> places{here()};
#ifdef ALLOGRAPH_AUDIT_LIBRARY_FOLDER  // from the command's folder
    places.push_back(here() + "/" ALLOGRAPH_AUDIT_LIBRARY_FOLDER);
#endif
    for (const std::string& place : places) {
        char path[PATH_MAX];
        if (realpath((place + "/liballograph_audit.so").c_str(), path) != nullptr) {
            if (std::strpbrk(path, " :") != nullptr) {
                stop(std::string("cannot preload ") + path + ": the dynamic linker takes spaces and colons as separators");
            }
            return path;
        }
    }
    stop("liballograph_audit.so is not beside this program");
}

volatile sig_atomic_t child = 0;

/// What is sent to this process alone is meant for the program. A terminal sends SIGINT and SIGQUIT to both.
extern "C" void hand_on(int signal) {
    if (child > 0) {
        kill(child, signal);
    }
}

void preload(const char* name, const std::string& library) {
    const char* others = std::getenv(name);
    setenv(name, (library + (others == nullptr || others[0] == '\0' ? "" : std::string(":") + others)).c_str(), 1);
}

int run(const std::string& output, bool fail_on_findings, char** program) {
    const std::string file = library();
    std::error_code made_folder;
    std::filesystem::create_directories(output, made_folder);
    if (made_folder) {
        stop("cannot make the folder " + output + ": " + made_folder.message());
    }
    char folder[PATH_MAX];
    if (realpath(output.c_str(), folder) == nullptr || access(folder, W_OK | X_OK) != 0) {
        stop("cannot write to the folder " + output + ": " + std::strerror(errno));
    }
    struct stat index{};
    const std::streamoff earlier = stat((output + "/index.tsv").c_str(), &index) == 0 ? index.st_size : 0;

    int errors[2];  // says why PROGRAM could not be run; closed by a successful exec
    if (pipe2(errors, O_CLOEXEC) != 0) {
        stop(std::string("pipe: ") + std::strerror(errno));
    }
    constexpr int handed_on[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT};
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    const pid_t made = fork();
    if (made < 0) {
        stop(std::string("fork: ") + std::strerror(errno));
    }
    if (made == 0) {
        setenv("ALLOGRAPH_AUDIT", folder, 1);
        preload("LD_PRELOAD", file);
        sigprocmask(SIG_SETMASK, &before, nullptr);
        execvp(program[0], program);
        const int why = errno;
        [[maybe_unused]] const ssize_t written = ::write(errors[1], &why, sizeof why);
        _exit(why == ENOENT ? 127 : 126);
    }
    child = made;
    close(errors[1]);
    struct sigaction action{};
    action.sa_handler = SIG_IGN;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGQUIT, &action, nullptr);
    action.sa_handler = hand_on;
    for (const int signal : handed_on) {
        sigaction(signal, &action, nullptr);
    }
    sigprocmask(SIG_SETMASK, &before, nullptr);

    int why = 0;
    ssize_t said = 0;
    while ((said = ::read(errors[0], &why, sizeof why)) < 0 && errno == EINTR) {
    }
    int status = 0;
    while (waitpid(made, &status, 0) < 0 && errno == EINTR) {
    }
    child = 0;
    if (said == sizeof why) {
        stop(std::string("cannot run ") + program[0] + ": " + std::strerror(why), why == ENOENT ? 127 : 126);
    }
    const summary found = read(output, earlier);
    print(found, output);
    if (WIFSIGNALED(status)) {
        // This process ends as the program did, without a core of its own.
        action.sa_handler = SIG_DFL;
        sigaction(WTERMSIG(status), &action, nullptr);
        const rlimit none{0, 0};
        setrlimit(RLIMIT_CORE, &none);
        raise(WTERMSIG(status));
        return 128 + WTERMSIG(status);
    }
    const int exit_status = WEXITSTATUS(status);
    return exit_status == 0 && fail_on_findings && !found.with_errors.empty() ? found_something : exit_status;
}

}  // namespace

int main(int count, char** arguments) {
    const std::string command = count > 1 ? arguments[1] : "";
    if (command == "show" && count == 3) {
        return show(arguments[2]);
    }
    if (command == "help" || command == "--help" || command == "-h") {
        std::fputs(usage, stdout);
        return 0;
    }
    if (command != "run") {
        std::fputs(usage, stderr);
        return cannot_run;
    }
    std::string output = "allograph-audit";
    bool fail_on_findings = false;
    int at = 2;
    for (; at < count && arguments[at][0] == '-'; ++at) {
        const std::string option = arguments[at];
        if (option == "--") {
            ++at;
            break;
        }
        if (option == "--output" && at + 1 < count) {
            output = arguments[++at];
        } else if (option == "--fail-on-findings") {
            fail_on_findings = true;
        } else {
            stop("unknown option " + option + "; see allograph-audit --help");
        }
    }
    if (at >= count) {
        stop("which program? See allograph-audit --help");
    }
    return run(output, fail_on_findings, arguments + at);
}
