// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/log.h"

#include <memory>
#include <mutex>
#include <utility>

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "tools/weir/console/stream.h"

namespace weir {
namespace {

class OutletSink : public spdlog::sinks::base_sink<std::mutex> {
  public:
    void set_outlet(std::function<void(std::string_view)> outlet) {
        const std::lock_guard lock(mutex_);
        outlet_ = std::move(outlet);
    }

  protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        spdlog::memory_buf_t text;
        formatter_->format(message, text);
        const std::string_view line(text.data(), text.size());
        if (outlet_) {
            outlet_(line);
        } else {
            (void)write_all(STDERR_FILENO, line);  // nobody is left to be told
        }
    }
    void flush_() override {}

  private:
    std::function<void(std::string_view)> outlet_;
};

std::shared_ptr<OutletSink> sink() {
    static const auto instance = std::make_shared<OutletSink>();
    return instance;
}

spdlog::logger& logger() {
    static const auto instance = [] {
        auto made = std::make_shared<spdlog::logger>("weir", sink());
        made->set_pattern("%Y-%m-%d %H:%M:%S.%e %l: %v");
        return made;
    }();
    return *instance;
}

}  // namespace

void log_info(std::string_view text) {
    logger().info("{}", text);
}

void log_warning(std::string_view text) {
    logger().warn("{}", text);
}

void set_log_outlet(std::function<void(std::string_view)> outlet) {
    sink()->set_outlet(std::move(outlet));
}

}  // namespace weir
