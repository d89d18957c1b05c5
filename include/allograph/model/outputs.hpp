#pragma once

#include <tuple>
#include <vector>

#include <allograph/model/alloc_node.hpp>

namespace allograph {
inline namespace v0 {

/// How allocations that no graph frees end: owned by the caller after each launch, or freed by the next launch.
enum class fate : std::uint8_t {
    output,    ///< each launch gives it to the caller, who owns it
    auto_free  ///< the next launch frees it, after the last one the executable
};

/// Tokens on their way into an executable, typed one by one. A failed `instantiate` leaves them here.
template <fate Fate, class... Tokens>
class fate_list {
public:
    /// `outputs` and `auto_free` make it.
    constexpr explicit fate_list(Tokens&&... tokens) noexcept : tokens_(static_cast<Tokens&&>(tokens)...) {}
    fate_list(fate_list&&) = default;
    fate_list(const fate_list&, because_an_allocation_has_one_owner_write_std_move = {}) = delete;
    static constexpr fate what = Fate;  ///< how they leave

    /// Takes the tokens out, for the one who gives the allocations their fate.
    [[nodiscard]] constexpr std::tuple<Tokens...>& tokens() noexcept { return tokens_; }

private:
    std::tuple<Tokens...> tokens_;
};

/// Tokens of one type whose number is known at run time.
template <fate Fate, class Token>
class fate_vector {
public:
    /// `outputs` and `auto_free` make it.
    explicit fate_vector(std::vector<Token>&& tokens) noexcept : tokens_(static_cast<std::vector<Token>&&>(tokens)) {}
    fate_vector(fate_vector&&) = default;
    fate_vector(const fate_vector&, because_an_allocation_has_one_owner_write_std_move = {}) = delete;
    static constexpr fate what = Fate;  ///< how they leave
    /// The tokens, to be taken out by the one who gives the allocations their fate.
    [[nodiscard]] std::vector<Token>& tokens() noexcept { return tokens_; }

private:
    std::vector<Token> tokens_;
};

struct because_what_leaves_a_graph_are_alloc_nodes_or_one_vector_of_them {};

namespace detail {

template <class M>
inline constexpr int token_form = 0;
template <class T, checking C>
inline constexpr int token_form<alloc_node<T, C>> = 1;
template <class T, checking C>
inline constexpr int token_form<std::vector<alloc_node<T, C>>> = 2;

/// What `outputs` and `auto_free` take: tokens, or one vector of them, to move from. `M` as a forwarding reference deduces it.
template <class... M>
concept tokens_to_move = ((token_form<M> == 1) && ...) || (sizeof...(M) == 1 && ((token_form<M> == 2) && ...));

template <class... M>
using why_no_tokens =
    std::conditional_t<tokens_to_move<std::remove_cvref_t<M>...>, because_an_allocation_has_one_owner_write_std_move,
                       because_what_leaves_a_graph_are_alloc_nodes_or_one_vector_of_them>;

/// Calls `visit` with each token.
template <fate F, class... Tokens, class Visit>
constexpr void each_token(fate_list<F, Tokens...>& fates, Visit&& visit) {
    std::apply([&](auto&... token) { (visit(token), ...); }, fates.tokens());
}
template <fate F, class Token, class Visit>
void each_token(fate_vector<F, Token>& fates, Visit&& visit) {
    for (Token& token : fates.tokens()) {
        visit(token);
    }
}

}  // namespace detail

/// The allocations leave the graph: each launch returns them as `stream_buffer`s that the caller owns.
/// A container gives a vector of buffers, a pack gives a tuple.
template <class... Ts, checking... Cs>
[[nodiscard]] constexpr auto outputs(alloc_node<Ts, Cs>&&... tokens) noexcept {
    return fate_list<fate::output, alloc_node<Ts, Cs>...>(static_cast<alloc_node<Ts, Cs>&&>(tokens)...);
}
template <class T, checking C>
[[nodiscard]] auto outputs(std::vector<alloc_node<T, C>>&& tokens) noexcept {
    return fate_vector<fate::output, alloc_node<T, C>>(static_cast<std::vector<alloc_node<T, C>>&&>(tokens));
}
template <class... M, class Reason = detail::why_no_tokens<M...>>
    requires(!detail::tokens_to_move<M...>)
void outputs(M&&...) = delete;

/// The allocations stay with the executable: each launch frees those of the launch before and returns spans that
/// are valid until the next; the executable frees the last ones when it is destroyed (rules X2, X3).
template <class... Ts, checking... Cs>
[[nodiscard]] constexpr auto auto_free(alloc_node<Ts, Cs>&&... tokens) noexcept {
    return fate_list<fate::auto_free, alloc_node<Ts, Cs>...>(static_cast<alloc_node<Ts, Cs>&&>(tokens)...);
}
template <class T, checking C>
[[nodiscard]] auto auto_free(std::vector<alloc_node<T, C>>&& tokens) noexcept {
    return fate_vector<fate::auto_free, alloc_node<T, C>>(static_cast<std::vector<alloc_node<T, C>>&&>(tokens));
}
template <class... M, class Reason = detail::why_no_tokens<M...>>
    requires(!detail::tokens_to_move<M...>)
void auto_free(M&&...) = delete;

}  // namespace v0
}  // namespace allograph
