#include "assay/core/workers.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace assay {

struct Workers::Arena {
  tbb::task_arena threads;
};

Workers::Workers(int threads)
    : arena_(new Arena{tbb::task_arena(threads > 0 ? threads : tbb::task_arena::automatic)}) {}
Workers::~Workers() = default;

void Workers::for_each(std::size_t count, const std::function<void(std::size_t)>& work) {
  if (count == 1) return work(0);
  arena_->threads.execute([&] { tbb::parallel_for(std::size_t{0}, count, work); });
}

}  // namespace assay
