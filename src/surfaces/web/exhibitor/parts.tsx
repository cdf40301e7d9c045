import type { Child } from 'hono/jsx'

const PATHS = {
  open: (
    <>
      <circle cx="10" cy="10" r="7.5" />
      <path d="M10 5.8V10l2.8 2" />
    </>
  ),
  done: <path d="M4 10.5l4 4 8-9" />,
  next: <path d="M8 4.5l5.5 5.5L8 15.5" />,
  down: <path d="M10 3.5v9.5M5.8 9.2L10 13.4l4.2-4.2M4 16.8h12" />,
}

export const Icon = ({ of }: { of: keyof typeof PATHS }) => (
  <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
    {PATHS[of]}
  </svg>
)

/** A bar that shows how much of a total is used. */
export const Meter = ({ used, total, label }: { used: number; total: number; label: string }) => (
  <svg class="meter" role="img" aria-label={label}>
    <rect class="rest" width="100%" height="100%" />
    <rect class={used > total ? 'over' : 'full'} width={`${total > 0 ? Math.min(100, (100 * used) / total) : 0}%`} height="100%" />
  </svg>
)

/** A number with what it is a part of. */
export const CountOf = ({ count, text }: { count: number; text: string }) => (
  <p class="count-of">
    <b>{count}</b> <span class="muted">{text}</span>
  </p>
)

const STAR = 'M8 1.8l1.9 3.9 4.3.6-3.1 3 .7 4.3L8 11.6l-3.8 2 .7-4.3-3.1-3 4.3-.6z'

export const Stars = ({ rating, label }: { rating: number; label: string }) => (
  <span class="stars" role="img" aria-label={label}>
    {[1, 2, 3, 4, 5].map((star) => (
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path class={star <= rating ? 'on' : undefined} d={STAR} />
      </svg>
    ))}
  </span>
)

/** A card whose heading is small, beside the main column. */
export const SideCard = ({ id, title, children }: { id: string; title: string; children: Child }) => (
  <section class="card side" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
  </section>
)
