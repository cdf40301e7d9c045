import {
  acceptOwnWaitlistOffer,
  declineOwnWaitlistOffer,
  hasWaitlistOffers,
  listOwnWaitlistOffers,
  type OpenWaitlistOffer,
} from '../../../domains/registration/promotion/own-offers.ts'
import {
  getOwnWaitlistEntry,
  leaveOwnWaitlist,
  type OwnWaitlistEntry,
  rejoinOwnWaitlist,
} from '../../../domains/registration/promotion/own-entries.ts'
import { issueResumeRegistrationLink } from '../../../domains/registration/links.ts'
import { findOrder } from '../../../domains/orders/orders.ts'
import { AppError } from '../../../kernel/errors.ts'
import { formatInstantWithTimeZone, formatMoney } from '../../../kernel/language/format.ts'
import { toMoney } from '../../../kernel/money.ts'
import { FormActions, Button, Form, LinkButton } from '../components/forms.tsx'
import { Card, DescriptionList, StatusLabel } from '../components/parts.tsx'
import { MainColumn, createEventRouter } from '../event/event-layout.tsx'
import { PUBLIC_EVENT_PATH } from '../event/event-site.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../web.ts'
import {
  runOwnRegistrationChange,
  withOwnRegistrationAccess,
  handleOwnRegistrationPost,
  type OwnRegistrationAccess,
  previewOwnRegistrationChange,
  showOwnRegistrationPage,
} from './own-access.tsx'

const PATH = `${PUBLIC_EVENT_PATH}/registration/offers`
const offersPath = ({ site }: OwnRegistrationAccess) => `${site.paths.myRegistration}/offers`

/** Returns the path of the page of one waiting list entry. After the participant has answered an offer, the page shows the result. */
export const buildWaitlistEntryPath = (own: OwnRegistrationAccess, entryId: string) => `${offersPath(own)}/${encodeURIComponent(entryId)}`

/** Reads the open offers with their prices. A price is calculated by a purchase that is rolled back. */
export const readOpenWaitlistOffers = async (web: WebServices, own: OwnRegistrationAccess): Promise<OpenWaitlistOffer[]> =>
  (await hasWaitlistOffers(own.ctx, own.row))
    ? previewOwnRegistrationChange(web, own, 'accept_waitlist_offer', (ctx) => listOwnWaitlistOffers(ctx, own.row))
    : []

interface OffersProps {
  web: WebServices
  c: WebContext
  own: OwnRegistrationAccess
  offers: readonly OpenWaitlistOffer[]
  /** Whether the heading of the page already says that there is an offer. The card is then titled with the offered product. */
  announced?: boolean
}

/** Offers from the waiting list, each with its price, its deadline and the buttons to accept and decline it. */
export function WaitlistOfferCards({ web, c, own, offers, announced = false }: OffersProps) {
  const { site } = own
  const { say, locale } = site.words
  return (
    <>
      {offers.map(({ entryId, name, quantity, guest, until, price }) => (
        <Card
          title={announced ? name : say('offer.title')}
          actions={
            <StatusLabel tone="warning">
              {say('offer.until', { moment: formatInstantWithTimeZone(locale, until, site.facts.timezone) })}
            </StatusLabel>
          }
        >
          <div class="stack">
            <DescriptionList
              rows={[
                ...(announced && quantity === 1
                  ? []
                  : [[say('offer.for'), quantity === 1 ? name : `${name} × ${quantity}`] as [string, string]]),
                ...(guest === null ? [] : [[say('offer.guest'), guest] as [string, string]]),
                ...(price === null
                  ? []
                  : ([
                      [say('offer.price'), formatMoney(locale, price.total)],
                      [say('offer.due'), formatMoney(locale, price.due)],
                    ] as [string, string][])),
              ]}
            />
            <p class="muted">{price === null ? say('offer.gone') : say('offer.afterDeadline')}</p>
            <Form action={offersPath(own)} csrf={getCsrfToken(web, c)}>
              <FormActions>
                {price === null ? null : (
                  <Button tone="primary" name="do" value={`accept:${entryId}`}>
                    {say('offer.accept')}
                  </Button>
                )}
                <Button name="do" value={`decline:${entryId}`}>
                  {say('offer.decline')}
                </Button>
              </FormActions>
            </Form>
          </div>
        </Card>
      ))}
    </>
  )
}

/** Shows the result of an offer: accepted with the amount to pay, declined, or expired with its deadline. */
async function showEntry(web: WebServices, c: WebContext, own: OwnRegistrationAccess, entry: OwnWaitlistEntry): Promise<Response> {
  const { site } = own
  const { say, locale } = site.words
  const order = entry.state === 'accepted' ? await findOrder(own.ctx, { participantId: own.row.id }) : null
  const due = order && order.balance > 0 ? formatMoney(locale, toMoney(order.balance, site.facts.currency)) : null
  const name = entry.guest === null ? entry.name : `${entry.name} (${entry.guest})`
  const until = entry.until && formatInstantWithTimeZone(locale, entry.until, site.facts.timezone)
  const texts = {
    accepted: [
      say('offer.accepted'),
      due === null ? say('offer.acceptedText', { name }) : say('offer.acceptedOwing', { name, amount: due }),
    ],
    declined: [say('offer.declinedTitle'), say('offer.declined', { name })],
    expired: [say('offer.expired'), until ? say('offer.expiredText', { name, moment: until }) : say('offer.gone')],
    left: [say('offer.leftTitle'), say('offer.left', { name })],
    ended: [say('offer.ended'), say('offer.gone')],
  } as const
  if (entry.state === 'waiting' || entry.state === 'open') return c.redirect(site.paths.myRegistration, 303)
  const [title, text] = texts[entry.state]
  return showOwnRegistrationPage(
    web,
    c,
    own,
    { title },
    <MainColumn title={title} text={text}>
      <RejoinCard
        web={web}
        c={c}
        own={own}
        entry={entry}
        finish={own.row.status === 'incomplete' ? await issueResumeRegistrationLink(own.ctx, own.row) : null}
      />
      <FormActions>
        {due === null ? null : (
          <LinkButton href={site.paths.pay} tone="primary">
            {say('myRegistration.payNow', { amount: due })}
          </LinkButton>
        )}
        <LinkButton href={site.paths.myRegistration} {...(due === null ? { tone: 'primary' as const } : {})}>
          {say('myRegistration.back')}
        </LinkButton>
      </FormActions>
    </MainColumn>,
  )
}

interface RejoinProps {
  web: WebServices
  c: WebContext
  own: OwnRegistrationAccess
  entry: OwnWaitlistEntry
  /** The link to finish the registration, if the whole registration was on the waiting list. */
  finish: string | null
}

/** The card with the ways to wait again after a declined or expired offer. */
function RejoinCard({ web, c, own, entry, finish }: RejoinProps) {
  const { say } = own.site.words
  if (entry.state === 'accepted' || entry.state === 'ended' || (!entry.mayRejoin && finish === null)) return null
  return (
    <Card title={say(entry.state === 'expired' ? 'offer.stillInterested' : 'offer.changedMind')}>
      <div class="stack">
        <p class="muted">{entry.waiting === 0 ? say('offer.waitingNone') : say('offer.waitingNow', { count: entry.waiting })}</p>
        {finish === null ? (
          <Form action={offersPath(own)} csrf={getCsrfToken(web, c)}>
            <Button name="do" value={`rejoin:${entry.id}`}>
              {say('offer.rejoin')}
            </Button>
          </Form>
        ) : (
          <LinkButton href={finish}>{say('myRegistration.finish')}</LinkButton>
        )}
      </div>
    </Card>
  )
}

/** `…/registration/offers`: accepts or declines an offer, leaves a waiting list or joins it again. Repeating an action changes nothing. */
export function registrationWaitlistOfferPages(web: WebServices) {
  const act = async (own: OwnRegistrationAccess, action: string, entryId: string): Promise<string> => {
    const { row } = own
    switch (action) {
      case 'accept':
        await runOwnRegistrationChange(web, own, 'accept_waitlist_offer', (ctx) => acceptOwnWaitlistOffer(ctx, row, entryId))
        return buildWaitlistEntryPath(own, entryId)
      case 'decline':
        await runOwnRegistrationChange(web, own, 'decline_waitlist_offer', (ctx) => declineOwnWaitlistOffer(ctx, row, entryId))
        return buildWaitlistEntryPath(own, entryId)
      case 'leave':
        await runOwnRegistrationChange(web, own, 'leave_waitlist', (ctx) => leaveOwnWaitlist(ctx, row, entryId))
        return buildWaitlistEntryPath(own, entryId)
      case 'rejoin':
        await runOwnRegistrationChange(web, own, 'join_waitlist_again', (ctx) => rejoinOwnWaitlist(ctx, row, entryId))
        return `${own.site.paths.myRegistration}?done=waitsAgain`
      default:
        return own.site.paths.myRegistration
    }
  }
  const send = async (c: WebContext, own: OwnRegistrationAccess, form: FormValues): Promise<Response> => {
    const [action = '', entryId = ''] = (form['do'] ?? '').split(':')
    try {
      return c.redirect(await act(own, action, entryId), 303)
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'internal' || error.code === 'not_found') throw error
      // The page of the waiting list entry shows the reason: the offer has expired, or was withdrawn or sold.
      return c.redirect(buildWaitlistEntryPath(own, entryId), 303)
    }
  }
  const show = async (c: WebContext, own: OwnRegistrationAccess): Promise<Response> =>
    showEntry(web, c, own, await getOwnWaitlistEntry(own.ctx, own.row, c.req.param('entry') ?? ''))
  return createEventRouter(web)
    .post(
      PATH,
      handleOwnRegistrationPost(web, ({ paths }) => paths.myRegistration, send),
    )
    .get(`${PATH}/:entry`, withOwnRegistrationAccess(web, show))
}
