// The items that can translate pieces of one sentence, and the labels that each may get.
//
//   ItemOptions options(model, settings, fragments);     one for each thread
//   options.find(sentence, areas);
//   for (uint32_t o : options.from(begin)) ...           numbers of options that begin there
//   options.option(o).end, .score, ...
//   for (const LabelChoice& c : options.choices(o, depth)) c.label, c.logprob
//   for (const Piece& piece : options.pieces_to(end)) ...  options by where they end
//   options.closing(zone)                                  the option that is a whole zone
//
// For each source side the best `table_limit` of its items count, by their weighted score with the
// language model's estimate of their words alone.  A word without an item of words passes through.
// What depends on the source side alone is kept from sentence to sentence, but where classifiers of
// words look at the sentence around it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <vector>

#include "decode/amasis/areas.h"
#include "decode/amasis/fragments.h"
#include "decode/amasis/model.h"
#include "hash_index.h"

namespace demotic::decode::amasis {

enum class Order : uint8_t {
  learned,   // labels by their learned scores
  monotone,  // every item joins what is before it: S,R+
  all,       // any label, none better than another
};
enum class Close : uint8_t {
  join,    // what is left of the stack at the end is joined in its order
  forced,  // only labels that let the stack end with one element
};

struct AmasisSettings {
  uint32_t beam = 100;        // hypotheses kept for each prefix of the sentence
  uint32_t pops = 0;          // that are made for each prefix, the most promising; 0: all
  uint32_t table_limit = 20;  // items of each source side
  uint32_t labels = 1;        // of each item, the best ones; 0: all
  Order order = Order::learned;
  Close close = Close::join;
  bool concatenate = true;  // hypotheses are compared as if their stacks were joined
  uint32_t reductions = 0;  // of a label where order is `all`; 0: as many as were learned
  bool keep_alternatives = false;
};

// What stands for a rule where a zone is complete: all that the stack holds of it is joined.
inline constexpr uint32_t kZoneEnd = 0xffffffefu;

struct ItemOption {
  double score;  // weighted, with the language models' scores of its words alone
  uint32_t rule;
  uint32_t begin, end;
  uint32_t fragment;
  uint32_t item;  // where the parts that do not depend on the place are kept
  uint32_t area;  // that its label is of
};

struct LabelChoice {
  uint32_t label;
  float logprob;
};

class ItemOptions {
 public:
  ItemOptions(const AmasisModel& model, const AmasisSettings& settings, FragmentTable& fragments);

  void find(const SourceSentence& sentence, const Areas& areas);

  // Options of one piece of the sentence, the best first.
  struct Piece {
    uint32_t begin, end;
    uint32_t first, last;  // options
    uint32_t area;
  };
  std::span<const Piece> pieces_to(uint32_t end) const { return pieces_[end]; }
  uint32_t closing(uint32_t zone) const { return begins_.back() + zone - areas_->between_walls(); }
  // What depths `choices` cannot tell apart have in common.
  uint32_t bucket(uint32_t depth) const {
    return settings_.close == Close::join ? std::min(depth, buckets_ - 1) : depth;
  }

  auto from(uint32_t begin) const { return std::views::iota(begins_[begin], begins_[begin + 1]); }
  const ItemOption& option(uint32_t number) const { return options_[number]; }
  std::span<const LabelChoice> choices(uint32_t option, uint32_t depth);
  std::span<const float> logs(uint32_t option) const {  // log10 of its words, by model
    return std::span(logs_).subspan(size_t{options_[option].item} * models_, models_);
  }
  uint64_t size() const { return options_.size(); }

  // Where labels look at the stack: scores of labels by the state alone, and the choices of an
  // option in it, valid until the next call.
  bool sees_stack() const { return sees_stack_; }
  uint32_t stride() const { return stride_; }
  void score_state(const events::LabelState& state, std::span<float> scores) const;
  std::span<const LabelChoice> choices(uint32_t option, const Border& border, uint32_t depth,
                                       const events::LabelState& state,
                                       std::span<const float> scores);
  const Border& border(uint32_t option) const { return items_[options_[option].item].border; }

 private:
  struct Item {
    double score;     // weighted, no language model
    double estimate;  // with it
    uint32_t rule;
    uint32_t target_row;  // of the label model
    bool words;
    Border border;
  };
  struct NodeList {
    uint32_t node;
    uint32_t begin;         // of the piece, where that matters
    uint32_t first, count;  // items
  };
  struct Choices {
    uint32_t first = UINT32_MAX, count = 0;
  };
  static constexpr size_t kMostKept = 100'000;  // items, about 250 bytes each

  void forget();
  NodeList of_node(uint32_t node, uint32_t begin, const SentenceChoices& choices);
  NodeList make(uint32_t node, uint32_t begin, const SentenceChoices& choices);
  template <class Word>
  void add_item(uint32_t rule, double score, size_t words, uint32_t target_row,
                const Border& border, Word&& word);
  void drop_from(size_t item);
  NodeList close(uint32_t node, uint32_t begin, uint32_t first);
  void place(const NodeList& list, uint32_t begin, uint32_t end);
  void place_zones();
  void score_place(uint32_t begin, uint32_t end);
  void choose(uint32_t option, uint32_t depth, std::vector<LabelChoice>& out);
  void choose_learned(uint32_t option, uint32_t depth, std::vector<LabelChoice>& out);
  void score_item(uint32_t option, uint32_t depth);
  void collect_item(uint32_t option, uint32_t depth);
  void take_best(uint32_t option, uint32_t depth, std::vector<LabelChoice>& out);
  bool allowed(uint32_t option, uint32_t depth, uint32_t label) const;
  // In its area.
  uint32_t words_behind(uint32_t option) const {
    return (*areas_)[options_[option].area].end - options_[option].end;
  }

  const AmasisModel& model_;
  const AmasisSettings& settings_;
  FragmentTable& fragments_;
  uint32_t models_;
  uint32_t most_reductions_;
  uint32_t buckets_;  // depths that are told apart, where closing is not forced
  uint32_t stride_;
  bool sees_stack_;

  std::vector<Item> items_;
  std::vector<lm::Fragment> parts_;  // of items, one for each language model
  std::vector<float> logs_;          // likewise
  std::vector<NodeList> nodes_;
  HashIndex node_index_;
  size_t kept_items_ = 0;  // those beyond pass through in the sentence at hand

  std::span<const uint32_t> sentence_;
  const Areas* areas_ = nullptr;
  std::vector<uint32_t> begins_;  // options of begin: begins_[begin] ... begins_[begin + 1]
  std::vector<ItemOption> options_;
  std::vector<std::vector<Piece>> pieces_;  // by their end
  std::vector<uint32_t> places_;            // by option
  std::vector<float> place_scores_;         // of labels, `stride_` for each place
  std::vector<uint32_t> place_rows_;        // where trees choose: their rows, one for each template
  std::vector<Choices> known_;              // likewise: what trees say of an option anywhere
  std::vector<grammar::LabelAtoms::Known> all_known_;
  std::vector<uint32_t> rows_;
  std::vector<uint64_t> sides_;   // by place: the key of its source side
  std::vector<Choices> choices_;  // by option and bucket
  std::vector<LabelChoice> all_choices_;
  std::vector<LabelChoice> scratch_;
  std::vector<float> scores_;
  std::optional<grammar::LabelAtoms> atoms_;  // where trees choose labels
};

}  // namespace demotic::decode::amasis
