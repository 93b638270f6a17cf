// The part of decoder.h that serves learning: what UndirectedDecoder does with an Episode.  It uses
// the decoder's workspaces, and decoding knows nothing of it.
#include <algorithm>
#include <optional>

#include "decode/umt/decoder.h"
#include "io/error.h"

namespace demotic::decode::umt {

size_t Episode::bytes() const {
  size_t sum = sizeof *this + forest.bytes() + sentence.source.capacity() * 2 * sizeof(uint32_t);
  for (const std::string& token : tokens) sum += sizeof token + token.capacity();
  return sum;
}

namespace {

// A workspace under other weights for as long as this lives.
class Reweighing {
 public:
  Reweighing(UndirectedWorkspace& space, const ScoredGrammar& grammar,
             std::span<const double> weights)
      : space_(space), grammar_(grammar) {
    space.reweighed.emplace(grammar, weights);
    space.ranking.reweigh(*space.reweighed);
  }
  ~Reweighing() { space_.ranking.reweigh(grammar_); }
  Reweighing(const Reweighing&) = delete;
  Reweighing& operator=(const Reweighing&) = delete;

 private:
  UndirectedWorkspace& space_;
  const ScoredGrammar& grammar_;
};

}  // namespace

// One episode under one set of weights, decoded.
class UndirectedDecoder::Sampler {
 public:
  Sampler(UndirectedDecoder& decoder, const Episode& episode, const EpisodeWeights& weights)
      : decoder_(decoder), episode_(episode), lease_(decoder.lease()), space_(*lease_) {
    std::span<const double> dense = weights.dense;
    const CffVector cff = split(dense, decoder.grammar_.table());
    if (episode.forest.empty()) return;
    reweighing_.emplace(space_, decoder.grammar_, dense);
    space_.bound(episode.forest, *space_.reweighed, cff,
                 GapFeatures(decoder.options_.sparse_bits, weights.sparse));
    space_.rescore([&] { space_.search.roll_out(space_.path); });
    path_words_ = written(space_.search.tree(), space_.path);
  }
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  const Trajectory& path() const { return space_.path; }
  ZipfLaw& zipf() { return space_.zipf; }

  Rollout taken(size_t state) const {
    Rollout made;
    put(path_words_, state, made);
    count(space_.path, state, made);
    return made;
  }

  EpisodeSample alternative(uint32_t state, uint64_t rank) {
    const Action& ahat = space_.path.actions[state];
    EpisodeSample sample{state,        static_cast<uint32_t>(space_.path.actions.size()),
                         ahat.choices, std::min(rank, ahat.choices - 1),
                         taken(state), {}};
    space_.rescore([&] { roll_out(state, sample.rank); });
    put(written(space_.tree, space_.other_path), state, sample.alternative);
    count(space_.other_path, state, sample.alternative);
    return sample;
  }

 private:
  void roll_out(uint32_t state, uint64_t rank) {
    const Action& ahat = space_.path.actions[state];
    space_.search.replay(space_.path, state, space_.tree);
    space_.search.rank(space_.tree, rank + 1, space_.ranked);
    std::erase_if(space_.ranked, [&](const Action& action) {
      return action.slot == ahat.slot && action.edge == ahat.edge;
    });
    Trajectory& other = space_.other_path;
    other.score = 0;
    other.actions.assign(space_.path.actions.begin(), space_.path.actions.begin() + state);
    space_.search.apply(space_.tree, space_.ranked[rank - 1], other);
    space_.search.follow(space_.tree, other);
  }

  struct Written {
    std::vector<std::string> tokens;
    std::vector<uint32_t> actions;  // of the path, that wrote each
  };

  Written written(const PartialTree& tree, const Trajectory& path) const {
    UndirectedDerivation derivation = grown_derivation(tree, path, episode_.forest);
    complete(derivation, episode_.tokens, episode_.sentence, *space_.reweighed);
    std::vector<uint32_t> by_step(derivation.steps.size());
    for (uint32_t i = 0; i < derivation.actions.size(); ++i)
      by_step[derivation.actions[i].step] = i;
    Written made{std::move(derivation.tokens), {}};
    for (const uint32_t step : derivation.word_steps) made.actions.push_back(by_step[step]);
    return made;
  }

  // Words that were there before the state count as those of its action.
  static void put(const Written& words, size_t state, Rollout& rollout) {
    rollout.tokens = words.tokens;
    for (const uint32_t action : words.actions)
      rollout.turns.push_back(action < state ? 0 : action - static_cast<uint32_t>(state));
  }

  void count(const Trajectory& path, size_t state, Rollout& rollout) const {
    const size_t width = decoder_.grammar_.features() + kCffFeatures;
    rollout.steps = static_cast<uint32_t>(path.actions.size() - state);
    rollout.action.assign(width, 0.0);
    rollout.features.assign(width, 0.0);
    for (size_t i = state; i < path.actions.size(); ++i) {
      const auto add = [&](std::vector<double>& to) {
        add_action_features(path.actions[i], episode_.forest, *space_.reweighed,
                            decoder_.options_.kappa, to);
      };
      add(rollout.features);
      if (i == state) add(rollout.action);
      const GapFeatures::Ids& sparse = path.actions[i].sparse;
      rollout.sparse_ids.insert(rollout.sparse_ids.end(), sparse.id.begin(),
                                sparse.id.begin() + sparse.count);
    }
    std::vector<uint32_t>& ids = rollout.sparse_ids;
    std::sort(ids.begin(), ids.end());
    size_t kept = 0;
    for (const uint32_t id : ids) {
      if (kept == 0 || ids[kept - 1] != id) {
        ids[kept++] = id;
        rollout.sparse_values.push_back(0);
      }
      ++rollout.sparse_values.back();
    }
    ids.resize(kept);
  }

  UndirectedDecoder& decoder_;
  const Episode& episode_;
  WorkspacePool<UndirectedWorkspace>::Lease lease_;
  UndirectedWorkspace& space_;
  std::optional<Reweighing> reweighing_;  // ends before the lease
  Written path_words_;
};

std::unique_ptr<Episode> UndirectedDecoder::episode(const Tokens& tokens) {
  auto made = std::make_unique<Episode>();
  made->tokens = tokens;
  const auto leased = lease();
  ++leased->counters.sentences;
  leased->parse(grammar_, tokens, made->sentence, made->forest);
  return made;
}

Rollout UndirectedDecoder::roll_out(const Episode& episode, const EpisodeWeights& weights) {
  const Sampler sampler(*this, episode, weights);
  if (episode.forest.empty()) return {};
  return sampler.taken(0);
}

std::vector<EpisodeSample> UndirectedDecoder::sample(const Episode& episode,
                                                     const EpisodeWeights& weights,
                                                     std::span<const std::array<double, 2>> draws,
                                                     double exponent) {
  Sampler sampler(*this, episode, weights);
  sampler.zipf().set_exponent(exponent);
  std::vector<EpisodeSample> samples;
  if (episode.forest.empty()) return samples;
  std::vector<uint32_t> states;
  const std::vector<Action>& actions = sampler.path().actions;
  for (uint32_t t = 0; t < actions.size(); ++t)
    if (actions[t].choices > 1) states.push_back(t);
  if (states.empty()) return samples;
  for (const auto& [state_draw, rank_draw] : draws) {
    if (!(state_draw >= 0 && state_draw < 1 && rank_draw >= 0 && rank_draw < 1))
      throw io::Error(io::Fault::argument, "draws are numbers from 0 up to, not including, 1");
    const auto at = static_cast<size_t>(state_draw * static_cast<double>(states.size()));
    const uint32_t state = states[std::min(at, states.size() - 1)];
    samples.push_back(
        sampler.alternative(state, sampler.zipf()(rank_draw, actions[state].choices - 1)));
  }
  return samples;
}

EpisodeSample UndirectedDecoder::alternative(const Episode& episode, const EpisodeWeights& weights,
                                             uint32_t state, uint64_t rank) {
  Sampler sampler(*this, episode, weights);
  if (episode.forest.empty() || state >= sampler.path().actions.size() ||
      sampler.path().actions[state].choices < 2 || rank == 0)
    throw io::Error(io::Fault::argument,
                    "there is no other action in state " + std::to_string(state));
  return sampler.alternative(state, rank);
}

}  // namespace demotic::decode::umt
