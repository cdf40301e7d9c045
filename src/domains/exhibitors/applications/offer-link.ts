import { notFound } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { buildEventPageUrls } from '../../tenancy/public-pages.ts'
import type { ExhibitorContext } from '../context.ts'
import type { ApplicationRow } from './read.ts'

/** The booth offer to which a signed link belongs. */
export interface OfferFromSignedLink {
  number: string
  /** Whether the offer is the latest one of its application. */
  isLatest: boolean
  /** When the offer ends, as stored in the signed link. */
  until: Date
}

const LINK_LABEL = 'booth offer'

/** The token of an offer's link. It names the offer, so that a link never accepts a later offer with other booths. */
function createOfferToken(ctx: Pick<ExhibitorContext, 'keys'>, { id, offer_number, offer_until }: ApplicationRow): string {
  const text = `${id}-${offer_number}-${offer_until!.getTime().toString(36)}`
  return `${text}-${ctx.keys.sign(LINK_LABEL, text)}`
}

/** Finds the application that the signed link of an offer belongs to. An invalid link is reported as not found. */
export async function findOfferByToken(ctx: ExhibitorContext, token: string): Promise<OfferFromSignedLink & { row: ApplicationRow }> {
  const parts = /^(([0-9a-f]{24})-(\d{1,9})-([0-9a-z]{1,12}))-([\w-]{43})$/.exec(token)
  if (parts && ctx.keys.verify(LINK_LABEL, parts[1]!, parts[5]!)) {
    const row = await eventDb(ctx).selectFrom('booth_applications').selectAll().where('id', '=', parts[2]!).executeTakeFirst()
    if (row)
      return { row, number: row.number!, isLatest: row.offer_number === Number(parts[3]), until: new Date(Number.parseInt(parts[4]!, 36)) }
  }
  throw notFound('This link is not valid. Use the link in the latest email')
}

/** Returns the URL of the page of a booth offer. */
export const buildOfferPageUrl = (ctx: ExhibitorContext, row: ApplicationRow) =>
  `${buildEventPageUrls(ctx).home}/offer/${createOfferToken(ctx, row)}`
