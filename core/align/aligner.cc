#include "align/aligner.h"

#include <algorithm>
#include <cmath>

#include "align/hmm.h"
#include "parallel.h"

namespace demotic::align {

namespace {

constexpr std::string_view kKind = "aligner";
constexpr uint32_t kVersion = 1;
constexpr size_t kPairsPerChunk = 64;
constexpr uint32_t kWindow = 50;     // words on either side of the diagonal in over-long pairs
constexpr float kSpeltAlike = 0.1f;  // weight of an unseen word and its double
constexpr float kBothUnseen = 1e-3f;
constexpr float kOneUnseen = 1e-5f;

// The options as they lie in a file.
struct SavedOptions {
  double max_length, agreement, null_probability, lexical_prior, spelling_prior, jump_smoothing;
};

float sane(float weight) { return weight >= kFloor && weight <= 1.0f ? weight : kFloor; }

}  // namespace

void AlignerOptions::check() const {
  const auto require = [](bool fine, const char* what) {
    if (!fine) throw io::Error(io::Fault::argument, what);
  };
  require(max_length >= 1 && max_length <= kLongest, "max_length must be from 1 to 1000");
  require(null_probability > 0 && null_probability < 1, "null_probability must be between 0 and 1");
  require(lexical_prior >= 0 && lexical_prior <= 100, "lexical_prior must be from 0 to 100");
  require(spelling_prior >= 0 && spelling_prior <= 100, "spelling_prior must be from 0 to 100");
  require(jump_smoothing >= 0 && jump_smoothing <= 1e6, "jump_smoothing must be from 0 to 1e6");
}

// The lines of both sides; words that the model does not know get ids from vocab.size() on.
struct AlignerModel::Text {
  Text(text::VocabView vocab, std::string_view source_text, std::string_view target_text) {
    encode(vocab, source_text, source);
    encode(vocab, target_text, target);
    if (source.size() != target.size())
      throw io::Error(io::Fault::argument, "the source has " + std::to_string(source.size()) +
                                               " lines and the target " +
                                               std::to_string(target.size()));
  }

  text::TokenLines source, target;

 private:
  void encode(text::VocabView vocab, std::string_view text, text::TokenLines& lines) {
    text::for_each_line(text, [&](std::string_view line) {
      text::for_each_token(line, [&](std::string_view token) {
        const uint32_t id = vocab.find(token);
        lines.ids.push_back(id == text::kUnknown ? vocab.size() + unseen_.add(token) : id);
      });
      lines.ends.push_back(lines.ids.size());
    });
  }

  text::Vocab unseen_;
};

// A thread's scratch space and the links of its pair.
struct AlignerModel::Scratch {
  std::vector<float> forward_emissions, backward_emissions, forward_null, backward_null;
  HmmSentence forward, backward;
  std::vector<Link> forward_links, backward_links;
};

AlignerModel::AlignerModel(const AlignerOptions& options, const text::Vocab& vocab,
                           AlignerArrays arrays, const Jumps& forward_jumps,
                           const Jumps& backward_jumps)
    : options_(options),
      forward_jumps_(forward_jumps),
      backward_jumps_(backward_jumps),
      arrays_(std::make_shared<const AlignerArrays>(std::move(arrays))),
      own_vocab_(std::make_shared<const text::Vocab>(vocab)),
      vocab_(own_vocab_->view()),
      row_ends_(arrays_->row_ends),
      targets_(arrays_->targets),
      weights_(arrays_->weights),
      null_weights_(arrays_->null_weights) {}

AlignerModel::AlignerModel(std::shared_ptr<const io::Container> file, const AlignerOptions& options,
                           std::span<const float> jumps)
    : options_(options),
      forward_jumps_(options.max_length, jumps.first(Jumps::kParameters)),
      backward_jumps_(options.max_length, jumps.last(Jumps::kParameters)),
      file_(std::move(file)),
      vocab_(*file_),
      row_ends_(file_->section<uint32_t>("row.ends")),
      targets_(file_->section<uint32_t>("targets")),
      weights_(file_->section<DirectedWeights>("weights")),
      null_weights_(file_->section<DirectedWeights>("null.weights")),
      config_(file_->section<char>("config")) {}

void AlignerModel::save(const std::string& path, std::string_view config) const {
  io::ContainerWriter out(path, kKind, kVersion);
  const SavedOptions options{static_cast<double>(options_.max_length),
                             options_.agreement ? 1.0 : 0.0,
                             options_.null_probability,
                             options_.lexical_prior,
                             options_.spelling_prior,
                             options_.jump_smoothing};
  out.section("options", std::span(&options, 1));
  out.section("config", std::span(config.data(), config.size()));
  std::vector<float> jumps(forward_jumps_.parameters().begin(), forward_jumps_.parameters().end());
  jumps.insert(jumps.end(), backward_jumps_.parameters().begin(),
               backward_jumps_.parameters().end());
  out.section("jumps", std::span<const float>(jumps));
  out.section("row.ends", row_ends_);
  out.section("targets", targets_);
  out.section("weights", weights_);
  out.section("null.weights", null_weights_);
  // A mapped vocabulary is copied word by word: ids count in order of first appearance.
  text::Vocab vocab;
  for (uint32_t id = 1; id < vocab_.size(); ++id) vocab.add(vocab_.word(id));
  vocab.save(out);
  out.finish();
}

AlignerModel AlignerModel::load(const std::string& path) {
  auto file = std::make_shared<const io::Container>(path, kKind, kVersion);
  file->verify();
  const auto saved = file->section<SavedOptions>("options");
  const auto jumps = file->section<float>("jumps");
  if (saved.size() != 1 || jumps.size() != 2 * Jumps::kParameters)
    throw io::Error(io::Fault::corrupt, "the aligner's parameters have a wrong size");
  const SavedOptions& in = saved[0];
  if (!(in.max_length >= 1 && in.max_length <= AlignerOptions::kLongest))
    throw io::Error(io::Fault::corrupt, "the aligner's options make no sense");
  const AlignerOptions options{static_cast<uint32_t>(in.max_length),
                               in.agreement != 0,
                               in.null_probability,
                               in.lexical_prior,
                               in.spelling_prior,
                               in.jump_smoothing};
  try {
    options.check();
  } catch (const io::Error& error) {
    throw io::Error(io::Fault::corrupt,
                    std::string("the aligner's options make no sense: ") + error.what());
  }
  AlignerModel model(std::move(file), options, jumps);
  model.check_sizes();
  return model;
}

void AlignerModel::check_sizes() const {
  if (row_ends_.size() != vocab_.size() || null_weights_.size() != vocab_.size() ||
      weights_.size() != targets_.size())
    throw io::Error(io::Fault::corrupt, "the aligner's tables do not fit each other");
}

DirectedWeights AlignerModel::weights(std::string_view source, std::string_view target) const {
  return cell(vocab_.find(source), vocab_.find(target));
}

DirectedWeights AlignerModel::null_weights(std::string_view word) const {
  return null_cell(vocab_.find(word));
}

DirectedWeights AlignerModel::null_cell(uint32_t word) const {
  if (word >= null_weights_.size()) return {kOneUnseen, kOneUnseen};
  return {sane(null_weights_[word].forward), sane(null_weights_[word].backward)};
}

// Nothing here trusts the arrays: a hostile file can give wrong weights, never a read outside.
DirectedWeights AlignerModel::cell(uint32_t source, uint32_t target) const {
  const size_t known = row_ends_.size();
  if (source >= known || target >= known) {
    const float weight = source == target                     ? kSpeltAlike
                         : source >= known && target >= known ? kBothUnseen
                                                              : kOneUnseen;
    return {weight, weight};
  }
  const size_t begin = source == 0 ? 0 : row_ends_[source - 1];
  const size_t end = row_ends_[source];
  if (begin >= end || end > targets_.size()) return {kFloor, kFloor};
  const auto row = targets_.subspan(begin, end - begin);
  const auto found = std::lower_bound(row.begin(), row.end(), target);
  if (found == row.end() || *found != target) return {kFloor, kFloor};
  const DirectedWeights& weight = weights_[begin + static_cast<size_t>(found - row.begin())];
  return {sane(weight.forward), sane(weight.backward)};
}

DirectedLinks AlignerModel::align(std::string_view source_text, std::string_view target_text,
                                  unsigned threads) const {
  const Text text(vocab_, source_text, target_text);
  const size_t pairs = text.source.size();
  const size_t chunks = (pairs + kPairsPerChunk - 1) / kPairsPerChunk;
  std::vector<DirectedLinks> parts(chunks);
  std::vector<Scratch> scratch(std::max(threads, 1u));
  parallel_for(chunks, threads, [&](size_t chunk, unsigned worker) {
    Scratch& mine = scratch[worker];
    const size_t end = std::min(pairs, (chunk + 1) * kPairsPerChunk);
    for (size_t pair = chunk * kPairsPerChunk; pair < end; ++pair) {
      align_pair(text.source[pair], text.target[pair], mine);
      const auto append = [](Links& out, std::vector<Link>& links) {
        std::sort(links.begin(), links.end());
        out.pairs.insert(out.pairs.end(), links.begin(), links.end());
        out.ends.push_back(out.pairs.size());
      };
      append(parts[chunk].forward, mine.forward_links);
      append(parts[chunk].backward, mine.backward_links);
    }
  });
  DirectedLinks out;
  const auto join = [](Links& whole, const Links& part) {
    const uint64_t base = whole.pairs.size();
    whole.pairs.insert(whole.pairs.end(), part.pairs.begin(), part.pairs.end());
    for (const uint64_t end : part.ends) whole.ends.push_back(base + end);
  };
  for (const DirectedLinks& part : parts) {
    join(out.forward, part.forward);
    join(out.backward, part.backward);
  }
  return out;
}

namespace {

// Links each observation with its best state, unless the empty word is better.  Posteriors are
// multiplied by those of the other direction; sqrt(p q) is then compared with the empty word's.
template <class Emit>
void link_best(const HmmSentence& own, const HmmSentence& other, uint32_t observations,
               uint32_t states, bool agreement, Emit&& emit) {
  for (uint32_t j = 0; j < observations; ++j) {
    const float null = own.null_posterior(j);
    float best = agreement ? null * null : null;
    uint32_t link = states;
    for (uint32_t i = 0; i < states; ++i) {
      const float p = own.posterior(j, i) * (agreement ? other.posterior(i, j) : 1.0f);
      if (p > best) {
        best = p;
        link = i;
      }
    }
    if (link < states) emit(link, j);
  }
}

}  // namespace

void AlignerModel::align_pair(std::span<const uint32_t> source, std::span<const uint32_t> target,
                              Scratch& scratch) const {
  scratch.forward_links.clear();
  scratch.backward_links.clear();
  if (source.empty() || target.empty()) return;
  if (std::max(source.size(), target.size()) > options_.max_length) {
    align_diagonally(source, target, scratch);
    return;
  }
  const auto rows = static_cast<uint32_t>(source.size());
  const auto columns = static_cast<uint32_t>(target.size());
  scratch.forward_emissions.resize(source.size() * target.size());
  scratch.backward_emissions.resize(source.size() * target.size());
  scratch.forward_null.resize(columns);
  scratch.backward_null.resize(rows);
  for (size_t i = 0, at = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j, ++at) {
      const DirectedWeights weight = cell(source[i], target[j]);
      scratch.forward_emissions[j * rows + i] = weight.forward;
      scratch.backward_emissions[at] = weight.backward;
    }
  }
  for (size_t j = 0; j < columns; ++j) scratch.forward_null[j] = null_cell(target[j]).forward;
  for (size_t i = 0; i < rows; ++i) scratch.backward_null[i] = null_cell(source[i]).backward;
  const auto null = static_cast<float>(options_.null_probability);
  scratch.forward.run({columns, rows, scratch.forward_emissions.data(), scratch.forward_null.data(),
                       null, &forward_jumps_});
  scratch.backward.run({rows, columns, scratch.backward_emissions.data(),
                        scratch.backward_null.data(), null, &backward_jumps_});
  link_best(scratch.forward, scratch.backward, columns, rows, options_.agreement,
            [&](uint32_t i, uint32_t j) { scratch.forward_links.push_back({i, j}); });
  link_best(scratch.backward, scratch.forward, rows, columns, options_.agreement,
            [&](uint32_t j, uint32_t i) { scratch.backward_links.push_back({i, j}); });
}

// Each word takes the best of the words in a window around its place on the diagonal: lexical
// weight over distance, against the empty word.
void AlignerModel::align_diagonally(std::span<const uint32_t> source,
                                    std::span<const uint32_t> target, Scratch& scratch) const {
  const double null = options_.null_probability;
  const auto link = [&](size_t word, size_t words, size_t others, double null_weight, auto weight) {
    const size_t centre = word * others / words;
    const size_t begin = centre - std::min<size_t>(centre, kWindow);
    const size_t end = std::min<size_t>(others, centre + kWindow + 1);
    double best = null * null_weight;
    size_t link = others;
    for (size_t other = begin; other < end; ++other) {
      const size_t distance = other > centre ? other - centre : centre - other;
      const double score = (1 - null) * weight(other) / static_cast<double>(1 + distance);
      if (score > best) {
        best = score;
        link = other;
      }
    }
    return link;
  };
  for (size_t j = 0; j < target.size(); ++j) {
    const size_t i = link(j, target.size(), source.size(), null_cell(target[j]).forward,
                          [&](size_t at) { return cell(source[at], target[j]).forward; });
    if (i < source.size())
      scratch.forward_links.push_back({static_cast<uint32_t>(i), static_cast<uint32_t>(j)});
  }
  for (size_t i = 0; i < source.size(); ++i) {
    const size_t j = link(i, source.size(), target.size(), null_cell(source[i]).backward,
                          [&](size_t at) { return cell(source[i], target[at]).backward; });
    if (j < target.size())
      scratch.backward_links.push_back({static_cast<uint32_t>(i), static_cast<uint32_t>(j)});
  }
}

}  // namespace demotic::align
