import type { Child } from 'hono/jsx'
import type { SignerRow } from '../../../domains/signing/tables.ts'
import { formatInstantWithTimeZone } from '../../../kernel/language/format.ts'
import type { SigningPageContext } from './signing-site.tsx'

const ICONS = {
  tick: 'M4 10.5l4 4 8-9',
  cross: 'M5 5l10 10M15 5L5 15',
  pen: 'M4 16l.7-3.2L13 4.5 15.5 7l-8.3 8.3z',
  clock: 'M10 5.8V10l2.8 2M2.5 10a7.5 7.5 0 1 0 15 0a7.5 7.5 0 1 0 -15 0',
  file: 'M5 2.8h6.5L15.5 7v10.2H5zM11.5 2.8V7h4',
  info: 'M10 9.2V14M10 6.4v.1M2.5 10a7.5 7.5 0 1 0 15 0a7.5 7.5 0 1 0 -15 0',
} as const

export const SigningIcon = ({ name, class: css = '' }: { name: keyof typeof ICONS; class?: string }) => (
  <svg class={`icon ${css}`} viewBox="0 0 20 20" aria-hidden="true">
    <path d={ICONS[name]} />
  </svg>
)

const STEPS = ['code', 'read', 'done'] as const

/** The progress through the three steps of signing. */
export const SigningSteps = ({ at, step }: { at: SigningPageContext; step: (typeof STEPS)[number] }) => {
  const { say } = at.site.words
  const current = STEPS.indexOf(step)
  return (
    <nav class="signing-steps" aria-label={say('sign.stepOf', { step: current + 1 })}>
      <ol class="progress">
        {STEPS.map((name, index) => (
          <li class={index < current ? 'done' : undefined} aria-current={index === current ? 'step' : undefined}>
            <span>{say(`sign.step.${name}`)}</span>
          </li>
        ))}
      </ol>
    </nav>
  )
}

/** The signers of an envelope (the documents to sign), with the state of each signature. */
export const SignerList = ({ at }: { at: SigningPageContext }) => {
  const { say, locale } = at.site.words
  const { view, site } = at
  const isOnTurn = ({ id }: SignerRow) => id === view.signer.id && view.state === 'read'
  const iconOf = (signer: SignerRow) => {
    if (signer.status === 'signed') return 'tick'
    if (signer.status === 'declined') return 'cross'
    return isOnTurn(signer) ? 'pen' : 'clock'
  }
  const stateOf = (signer: SignerRow) => {
    const { status, signed_at } = signer
    if (signed_at) return say('sign.signedDay', { day: formatInstantWithTimeZone(locale, signed_at, site.facts.timezone) })
    if (status === 'declined') return say('sign.declinedMark')
    return say(isOnTurn(signer) ? 'sign.turn' : 'sign.waits')
  }
  return (
    <ul class="signers">
      {view.signers.map((signer) => (
        <li class={signer.status === 'signed' ? 'done' : signer.id === view.signer.id ? 'now' : undefined}>
          <SigningIcon name={iconOf(signer)} />
          <span>
            {signer.name}
            <small>{signer.side === 'client' ? site.client.name : view.supplier}</small>
          </span>
          <span class="small muted">{stateOf(signer)}</span>
        </li>
      ))}
    </ul>
  )
}

/** Replaces the hyphen in a number such as K-9007, at which a heading would break, by a non-breaking one. */
const keepNumbers = (title: string) => title.replaceAll(/(?<=\p{L})-(?=\d)/gu, '\u2011')

/** A page with one result: an icon, a heading and a text. */
export const SigningResultHeader = ({ at, title, children }: { at: SigningPageContext; title: string; children: Child }) => (
  <div class="head">
    <SigningSteps at={at} step="done" />
    <h1>{keepNumbers(title)}</h1>
    <p class="lead">{children}</p>
  </div>
)
