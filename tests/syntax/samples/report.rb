# A report of orders.
require 'json'

module Shop
  class Report < Base
    attr_reader :orders, :name
    LIMIT = 10

    def initialize(orders, name: "all", **options, &block)
      @orders = orders.select { |order| order[:total] > LIMIT }
      @name = name unless name.nil?
      yield self if block_given?
    end

    def to_s
      lines = orders.map do |order|
        "#{order[:id]}: #{'%.2f' % order[:total]} (#{name})"
      end
      lines << <<~TEXT
        Total: #{lines.size}
        End
      TEXT
      lines.join("\n")
    rescue ArgumentError, TypeError => error
      warn error.message
    ensure
      puts :done
    end

    def self.empty?(list) = list.empty?
  end
end

case ARGV.first
when /^a+$/, nil then puts %w[a b c].inspect
else puts Shop::Report.new([{ id: 1, total: 20 }], name: 'x') { |r| r.to_s }
end
i = 0
i += 1 while i < 10
