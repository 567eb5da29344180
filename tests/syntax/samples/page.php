<?php
declare(strict_types=1);

namespace App\Page;

use App\Model\{User, Post};

/** A page. */
abstract class Page implements \Countable
{
    use Loggable;
    const SIZE = 20;
    private array $items = [];

    public function __construct(protected ?string $title = null, int ...$ids)
    {
        foreach ($ids as $key => $id) {
            $this->items[$key] = ['id' => $id, 'name' => "item {$id} of $title"];
        }
    }

    public function count(): int
    {
        $total = 0;
        for ($i = 0; $i < self::SIZE; $i++) { if ($i % 2 === 0) continue; $total += $i; }
        switch ($total) { case 1: return 1; default: break; }
        try { return count($this->items) ?? $total; } catch (\Exception | \Error $e) { echo $e; } finally { }
        return match (true) { $total > 3 => 1, default => 0 };
    }
}

function render(array $rows, callable $format): string {
    return implode(', ', array_map(fn($row) => $format($row), $rows)) . <<<HTML
      <p>text</p>
    HTML;
}
?>
<p><?= 1 + 2 ?></p>
