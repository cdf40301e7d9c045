import type { Child } from 'hono/jsx'
import { NON_ANSWER_FORM_FIELDS } from '../../../domains/checkout/sent-page.ts'
import { type ADDRESS_PARTS, type Widget, type WidgetOfType, type WidgetType } from '../../../domains/configuration/schema/widgets.ts'
import { formatInstantWithTimeZone } from '../../../kernel/language/format.ts'
import { Input } from '../components/forms.tsx'
import { Notice } from '../components/parts.tsx'
import { formatVenue, MapLink } from '../event/map-link.tsx'
import { AnswersTable } from './answers.tsx'
import { BoothRequestWidget } from './booths.tsx'
import { DiscountCodeField, InviteCodeField } from './codes.tsx'
import { DonationWidget } from './donation.tsx'
import { QuestionField } from './fields.tsx'
import { GuestsWidget } from './guests.tsx'
import { MembershipLookup } from './lookup.tsx'
import { PaymentMethods } from './methods.tsx'
import { OrderLines } from './order.tsx'
import { PolicyWidget } from './policy.tsx'
import { ProductsWidget } from './products.tsx'
import { SanitizedProse } from './prose.tsx'
import { RoomsWidget } from './rooms.tsx'
import { SessionsWidget } from './sessions.tsx'
import { LeadSharingChoice } from './sharing-choice.tsx'
import { findErrorMessage, type RegistrationPageView } from './view.ts'

type WidgetRenderer<T extends WidgetType> = (given: { view: RegistrationPageView; widget: WidgetOfType<T> }) => Child

const HALF_WIDTH_PARTS = new Set(['firstName', 'lastName', 'city', 'postalCode', 'region', 'country'])

/** Address fields in the order of a postal address, also if they are displayed next to each other. */
const ADDRESS_ORDER = [
  'address1',
  'address2',
  'postalCode',
  'city',
  'region',
  'country',
] as const satisfies (typeof ADDRESS_PARTS)[number][]

const NameOrAddressFields = ({
  view,
  parts,
  required,
  countries,
}: {
  view: RegistrationPageView
  parts: readonly string[]
  required: readonly string[]
  countries?: readonly string[] | null
}) => (
  <>
    {parts.map((part) => (
      <div class={HALF_WIDTH_PARTS.has(part) ? 'half' : undefined}>
        <QuestionField
          view={view}
          question={{ binding: `@participant.${part}`, required: required.includes(part), countries: countries ?? null }}
        />
      </div>
    ))}
  </>
)

function VenueMapLink({ view: { site } }: { view: RegistrationPageView }) {
  const place = formatVenue(site)
  if (place === null) return null
  return (
    <p>
      {place}
      <br />
      <MapLink site={site} place={place} class="tap" />
    </p>
  )
}

const WIDGET_RENDERERS: { [T in WidgetType]: WidgetRenderer<T> } = {
  heading: ({ widget }) => (widget.level <= 2 ? <h2>{widget.text}</h2> : <h3>{widget.text}</h3>),
  text: ({ widget }) => <SanitizedProse html={widget.body} />,
  notice: ({ widget }) => (
    <Notice tone={widget.tone === 'info' ? 'accent' : widget.tone}>
      <SanitizedProse html={widget.body} />
    </Notice>
  ),
  image: ({ view, widget }) => {
    const source = view.pictures.get(widget.fileId)
    const picture = source ? <img src={source} alt={widget.decorative ? '' : (widget.alt ?? '')} /> : null
    return (
      <figure>
        {widget.link ? <a href={widget.link}>{picture}</a> : picture}
        {widget.caption ? <figcaption class="small muted">{widget.caption}</figcaption> : null}
      </figure>
    )
  },
  video: ({ view, widget }) =>
    widget.url.startsWith('https://') ? (
      <a class="button" href={widget.url} rel="noreferrer">
        {view.site.words.say('register.watch', { title: widget.title })}
      </a>
    ) : (
      <p>{widget.title}</p>
    ),
  divider: () => <hr />,
  spacer: () => <div class="spacer" />,
  accordion: ({ widget }) => (
    <div>
      {widget.items.map(({ title, body }) => (
        <details>
          <summary>{title}</summary>
          <SanitizedProse html={body} />
        </details>
      ))}
    </div>
  ),
  map: ({ view }) => <VenueMapLink view={view} />,
  countdown: ({ view: { site }, widget }) => (
    <p>
      <strong>
        {site.words.say('register.until', {
          label: widget.label,
          moment: formatInstantWithTimeZone(site.words.locale, new Date(widget.until), site.facts.timezone),
        })}
      </strong>
    </p>
  ),
  field: ({ view, widget }) => <QuestionField view={view} question={widget} />,
  name: ({ view, widget }) => <NameOrAddressFields view={view} parts={widget.parts} required={['firstName', 'lastName']} />,
  address: ({ view, widget }) => (
    <NameOrAddressFields view={view} parts={ADDRESS_ORDER} required={widget.requiredParts} countries={widget.countries} />
  ),
  headshot: ({ view, widget }) => <QuestionField view={view} question={{ binding: '@participant.headshot', required: widget.required }} />,
  membershipLookup: ({ view, widget }) => <MembershipLookup view={view} widget={widget} />,
  inviteCode: ({ view, widget }) => <InviteCodeField view={view} widget={widget} />,
  products: ({ view, widget }) => <ProductsWidget view={view} widget={widget} />,
  donation: ({ view, widget }) => <DonationWidget view={view} widget={widget} />,
  sessions: ({ view, widget }) => <SessionsWidget view={view} widget={widget} />,
  guests: ({ view, widget }) => <GuestsWidget view={view} widget={widget} />,
  housing: ({ view, widget }) => <RoomsWidget view={view} widget={widget} />,
  group: ({ view, widget }) => {
    const { say } = view.site.words
    const optional = widget.codeRequired && widget.mode === 'join' ? undefined : say('field.optional')
    return (
      <>
        {widget.mode === 'create' ? null : (
          <Input
            name="@group.code"
            label={say('register.groupCode')}
            help={say('register.groupCodeHelp')}
            optional={optional}
            value={view.valueOf('@group.code')[0]}
            error={findErrorMessage(view, '@group.code')}
            autocomplete="off"
          />
        )}
        {widget.mode === 'join' ? null : (
          <Input
            name="@group.name"
            label={say('register.groupName')}
            help={say('register.groupNameHelp')}
            optional={widget.mode === 'both' ? say('field.optional') : undefined}
            value={view.valueOf('@group.name')[0]}
            error={findErrorMessage(view, '@group.name')}
            autocomplete="off"
          />
        )}
      </>
    )
  },
  companyProfile: ({ view, widget }) => <CustomFields view={view} fields={widget.fields} />,
  boothRequest: ({ view, widget }) => <BoothRequestWidget view={view} widget={widget} />,
  submission: ({ view, widget }) => <CustomFields view={view} fields={widget.fields} />,
  policy: ({ view, widget }) => <PolicyWidget view={view} widget={widget} />,
  sharing: ({ view, widget }) => <LeadSharingChoice view={view} widget={widget} />,
  discountCode: ({ view, widget }) => <DiscountCodeField view={view} widget={widget} />,
  // The order summary is shown only on narrow screens, because wide screens show the order beside the form.
  orderSummary: ({ view }) => (
    <div class="own-summary stack">
      <h2>{view.site.words.say('register.order')}</h2>
      <div class="order-lines" aria-live="polite">
        <OrderLines view={view} />
      </div>
    </div>
  ),
  payment: ({ view, widget }) => (
    <>
      <PaymentMethods
        view={view}
        chosen={
          view.valueOf(NON_ANSWER_FORM_FIELDS.method)[0] ??
          view.progress.stored.method ??
          (view.methods.length === 1 ? view.methods[0]! : '')
        }
      />
      {widget.terms ? <p class="small muted">{widget.terms}</p> : null}
    </>
  ),
  answersReview: ({ view, widget }) => <AnswersTable view={view} only={widget.pages} />,
  confirmation: ({ widget }) => <SanitizedProse html={widget.body} />,
  redirect: ({ view, widget }) => (
    <p>
      <a class="button" href={widget.url}>
        {view.site.words.say('register.redirect', { host: new URL(widget.url).host })}
      </a>
    </p>
  ),
}

const CustomFields = ({ view, fields }: { view: RegistrationPageView; fields: readonly string[] }) => (
  <>
    {fields.map((code) => (
      <QuestionField view={view} question={{ binding: `@custom.${code}`, required: false }} />
    ))}
  </>
)

export const WidgetView = ({ view, widget }: { view: RegistrationPageView; widget: Widget }) => {
  const draw = WIDGET_RENDERERS[widget.type] as WidgetRenderer<WidgetType>
  return (
    <div class={widget.width === 'full' ? undefined : widget.width} id={`w-${widget.id}`}>
      <input type="hidden" name={NON_ANSWER_FORM_FIELDS.shown} value={widget.id} />
      {draw({ view, widget })}
    </div>
  )
}
