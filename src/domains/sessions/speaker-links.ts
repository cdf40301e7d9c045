import type { DerivedKeys } from '../../kernel/secrets.ts'
import { type EventUrlParts, buildEventPageUrls } from '../tenancy/public-pages.ts'

interface LinkScope {
  keys: DerivedKeys
  tenantId: number
  event: { id: string }
}

/** The target of a speaker's personal link: a submission, or the speaker's invitation. */
export type SpeakerPageLink = { kind: 'submission' | 'speaker'; id: string }

const LABEL = 'speaker link'
const signed = ({ tenantId, event }: LinkScope, { kind, id }: SpeakerPageLink) => `${tenantId} ${event.id} ${kind} ${id}`
const PREFIXES = { submission: 's', speaker: 'p' } as const

/** Builds the personal link of a submitter or an invited speaker, which is only sent to their mailbox. */
export const buildSpeakerPageUrl = (ctx: LinkScope & EventUrlParts, link: SpeakerPageLink): string =>
  buildEventPageUrls(ctx).speaker(toSpeakerPageToken(ctx, link))

export const toSpeakerPageToken = (ctx: LinkScope, link: SpeakerPageLink): string =>
  `${PREFIXES[link.kind]}${link.id}.${ctx.keys.sign(LABEL, signed(ctx, link))}`

/** Reads the token of a speaker's personal link. Null if this server did not sign it for this event. */
export function readSpeakerPageToken(ctx: LinkScope, token: string): SpeakerPageLink | null {
  const [, prefix, id = '', signature = ''] = /^([sp])([0-9a-f]{24})\.(.+)$/.exec(token) ?? []
  if (prefix === undefined) return null
  const link: SpeakerPageLink = { kind: prefix === 's' ? 'submission' : 'speaker', id }
  return ctx.keys.verify(LABEL, signed(ctx, link), signature) ? link : null
}
