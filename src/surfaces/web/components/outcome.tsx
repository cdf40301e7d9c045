import type { Child } from 'hono/jsx'

/** The effects of a change in sentences, from its dry run, shown directly above the button that makes the change. */
export const ChangeEffectList = ({ danger = false, effects }: { danger?: boolean; effects: readonly Child[] }) => (
  <div class={danger ? 'result danger' : 'result'} role="status">
    <h3>What will happen</h3>
    <ul>
      {effects.map((effect) => (
        <li>{effect}</li>
      ))}
    </ul>
  </div>
)

interface ActProps {
  title: string
  note?: Child
  open?: boolean
  id?: string
  /** The name of the group of actions, of which only one is expanded at a time. */
  name?: string
  children: Child
}

/** The form of one action of a page. Only its title is visible until the user expands it. */
export const ExpandableAction = ({ title, note, open = false, id, name, children }: ActProps) => (
  <details class="act" open={open} id={id} name={name}>
    <summary>
      <svg class="icon turn" viewBox="0 0 16 16" aria-hidden="true">
        <path d="M5.5 3l5 5-5 5" />
      </svg>
      <b>{title}</b>
      <span class="v">{note}</span>
    </summary>
    <div>{children}</div>
  </details>
)

/** A card that contains the actions of a page. */
export const ActionsCard = ({ title, id, children }: { title: string; id: string; children: Child }) => (
  <section class="card acts" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
  </section>
)

export interface NumberTileProps {
  title: string
  /** The number as text, or as a link to the list of the records that it counts. */
  number: Child
  note?: Child
  /** The bar below the number, such as the share of seats taken. */
  bar?: Child
  more?: Child
}

/** A tile with one number (such as the open amount) and its explanation. The tiles of a row have equal widths. */
export const NumberTile = ({ title, number, note, bar, more }: NumberTileProps) => (
  <section>
    <h2>{title}</h2>
    <p class="big-number">
      <strong>{number}</strong>
      {note ? <span>{note}</span> : null}
    </p>
    {bar}
    {more ? <p class="delta">{more}</p> : null}
  </section>
)

export const NumberTileRow = ({ four = false, children }: { four?: boolean; children: Child }) => (
  <div class={four ? 'figures even four' : 'figures even'}>{children}</div>
)

/** Shows names in bold: "Ivo Horvat, Marie Dubois and 3 more". */
export const BoldNameList = ({ names, most = 5 }: { names: readonly string[]; most?: number }) => {
  const shown = names.length > most ? names.slice(0, most - 1) : names
  const rest = names.length - shown.length
  return (
    <>
      {shown.map((name, at) => (
        <>
          {at === 0 ? '' : at === shown.length - 1 && rest === 0 ? ' and ' : ', '}
          <b dir="auto">{name}</b>
        </>
      ))}
      {rest > 0 ? ` and ${rest} more` : ''}
    </>
  )
}
