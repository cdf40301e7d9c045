import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { LISTED } from '../../../domains/checkout/invite-choice.ts'
import { FIELDS, VISIBLE } from '../../../domains/checkout/sent-page.ts'
import { cleanHtml } from '../../../domains/configuration/rich-text.ts'
import { type ADDRESS_PARTS, type Widget, type WidgetOf, type WidgetType } from '../../../domains/configuration/schema/widgets.ts'
import { formatMoment } from '../../../kernel/language/format.ts'
import { sumMinor } from '../../../kernel/money.ts'
import { Checkbox, Input, Select } from '../components/forms.tsx'
import { Notice } from '../components/parts.tsx'
import { AnswersTable } from './answers.tsx'
import { Asked, Group } from './fields.tsx'
import { Guests } from './guests.tsx'
import { Lookup } from './lookup.tsx'
import { OrderLines } from './order.tsx'
import { Donation, Products } from './products.tsx'
import { Sessions } from './sessions.tsx'
import { errorAt, moneyText, type View } from './view.ts'
import { labelFor } from './words.ts'

type Draw<T extends WidgetType> = (given: { view: View; widget: WidgetOf<T> }) => Child

const Prose = ({ html }: { html: string }) => <div class="prose">{raw(cleanHtml(html).html)}</div>

const HALVES = new Set(['firstName', 'lastName', 'city', 'postalCode', 'region', 'country'])

/** As letters are addressed: what stands side by side comes one after the other. */
const IN_ORDER = ['address1', 'address2', 'postalCode', 'city', 'region', 'country'] as const satisfies (typeof ADDRESS_PARTS)[number][]

const Parts = ({
  view,
  parts,
  required,
  countries,
}: {
  view: View
  parts: readonly string[]
  required: readonly string[]
  countries?: readonly string[] | null
}) => (
  <>
    {parts.map((part) => (
      <div class={HALVES.has(part) ? 'half' : undefined}>
        <Asked
          view={view}
          question={{ binding: `@participant.${part}`, required: required.includes(part), countries: countries ?? null }}
        />
      </div>
    ))}
  </>
)

/** A value with its own button beside it, which shows what comes of it before anything else is asked. */
const WithButton = ({
  view,
  name,
  label,
  button,
  help,
  ok,
  required = false,
}: {
  view: View
  name: string
  label: string
  button: string
  help?: string | undefined
  ok?: string | undefined
  required?: boolean
}) => {
  const error = errorAt(view, name)
  return (
    <div class="field">
      <label for={name}>
        {label} {required ? null : <span class="optional">{view.place.words.say('field.optional')}</span>}
      </label>
      <div class="with-button">
        <input
          type="text"
          id={name}
          name={name}
          value={view.valueOf(name)[0] ?? ''}
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          aria-invalid={error ? 'true' : undefined}
          aria-describedby={error ? `${name}-error` : ok ? `${name}-ok` : undefined}
        />
        <button type="submit" class="button" name="do" value="update">
          {button}
        </button>
      </div>
      {help ? <span class="help">{help}</span> : null}
      {ok ? (
        <span class="help ok" id={`${name}-ok`} role="status">
          {ok}
        </span>
      ) : null}
      {error ? (
        <span class="error" id={`${name}-error`}>
          {error}
        </span>
      ) : null}
    </div>
  )
}

function discountOf(view: View): { ok?: string } {
  const saved = sumMinor(view.quote.lines.map(({ discount }) => discount))
  return saved > 0 ? { ok: view.place.words.say('register.discountGood', { amount: moneyText(view.place, saved) }) } : {}
}

function Policy({ view, widget }: { view: View; widget: WidgetOf<'policy'> }) {
  const { say } = view.place.words
  const policy = view.config.policies.find(({ code }) => code === widget.policy)
  if (!policy) return null
  const name = `@policy.${policy.code}`
  const kept = view.progress.kept.policies[policy.code]
  const agreed = view.valueOf(name)[0] === 'true'
  const error = errorAt(view, name)
  const written = view.valueOf(name).find((value) => value !== 'true' && value !== 'false') ?? (agreed ? (kept?.written ?? '') : '')
  return (
    <div class="field">
      <details open={widget.expanded}>
        <summary>{policy.title}</summary>
        <Prose html={policy.body} />
      </details>
      {widget.mode === 'checkbox' ? (
        <>
          <Checkbox
            name={name}
            value="true"
            label={`${say('register.agree')}${policy.required ? '' : ` ${say('field.optional')}`}`}
            checked={agreed}
          />
          {error ? (
            <span class="error" id={`${name}-error`}>
              {error}
            </span>
          ) : null}
        </>
      ) : (
        <Input
          name={name}
          label={widget.mode === 'initials' ? say('register.initials') : say('register.signature')}
          value={written}
          autocomplete={widget.mode === 'signature' ? 'name' : 'off'}
          maxlength={200}
          error={error}
          optional={policy.required ? undefined : say('field.optional')}
        />
      )}
    </div>
  )
}

function Sharing({ view, widget }: { view: View; widget: WidgetOf<'sharing'> }) {
  const { words } = view.place
  const { say } = words
  const choices = [
    { value: '', label: say('register.asOrganizer') },
    { value: 'share', label: say('register.share') },
    { value: 'restrict', label: say('register.restrict') },
  ]
  const labelOfField = (field: string) =>
    labelFor(words, view.config, field.startsWith('cf:') ? `@custom.${field.slice(3)}` : `@participant.${field}`)
  const kept = (field: string) => view.valueOf(FIELDS.sharing(field))[0] ?? (widget.default === 'organizer' ? '' : widget.default)
  return (
    <Group field={{ name: `sharing-${widget.id}`, label: say('register.sharing'), help: say('register.sharingHelp') }}>
      <div class="fields">
        {widget.fields.map((field) => (
          <div class="half">
            <Select name={FIELDS.sharing(field)} label={labelOfField(field)} value={kept(field)} options={choices} />
          </div>
        ))}
      </div>
      {widget.askVisible ? (
        <Checkbox
          name={FIELDS.sharing(VISIBLE)}
          value="share"
          label={say('register.visible')}
          checked={view.valueOf(FIELDS.sharing(VISIBLE))[0] === 'share'}
        />
      ) : null}
    </Group>
  )
}

export function Methods({ view, chosen }: { view: View; chosen: string }) {
  const { say } = view.place.words
  return (
    <Group field={{ name: FIELDS.method, label: say('register.payHow'), error: errorAt(view, FIELDS.method) }}>
      <div class="options">
        {view.methods.map((method) => (
          <label class="option">
            <input type="radio" name={FIELDS.method} value={method} checked={method === chosen} />
            <span class="name">{say(`register.${method}`)}</span>
            <span class="about">{say(`register.${method}Help`)}</span>
          </label>
        ))}
      </div>
    </Group>
  )
}

function Map({ view }: { view: View }) {
  const { venue } = view.config.details
  if (!venue) return null
  const address = [venue.name, venue.address, venue.city, venue.country].filter(Boolean).join(', ')
  return (
    <p>
      {address}
      <br />
      <a class="tap" href={`https://www.openstreetmap.org/search?query=${encodeURIComponent(address)}`} rel="noreferrer">
        {view.place.words.say('register.map')}
      </a>
    </p>
  )
}

const DRAWN: { [T in WidgetType]: Draw<T> } = {
  heading: ({ widget }) => (widget.level <= 2 ? <h2>{widget.text}</h2> : <h3>{widget.text}</h3>),
  text: ({ widget }) => <Prose html={widget.body} />,
  notice: ({ widget }) => (
    <Notice tone={widget.tone === 'info' ? 'accent' : widget.tone}>
      <Prose html={widget.body} />
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
        {view.place.words.say('register.watch', { title: widget.title })}
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
          <Prose html={body} />
        </details>
      ))}
    </div>
  ),
  map: ({ view }) => <Map view={view} />,
  countdown: ({ view: { place }, widget }) => (
    <p>
      <strong>
        {place.words.say('register.until', {
          label: widget.label,
          moment: formatMoment(place.words.locale, new Date(widget.until), place.facts.timezone),
        })}
      </strong>
    </p>
  ),
  field: ({ view, widget }) => <Asked view={view} question={widget} />,
  name: ({ view, widget }) => <Parts view={view} parts={widget.parts} required={['firstName', 'lastName']} />,
  address: ({ view, widget }) => <Parts view={view} parts={IN_ORDER} required={widget.requiredParts} countries={widget.countries} />,
  headshot: ({ view, widget }) => <Asked view={view} question={{ binding: '@participant.headshot', required: widget.required }} />,
  membershipLookup: ({ view, widget }) => <Lookup view={view} widget={widget} />,
  inviteCode: ({ view, widget }) =>
    view.progress.answers['@invite.code'] === LISTED ? (
      <p class="ok">{view.place.words.say('register.invited')}</p>
    ) : (
      <WithButton
        view={view}
        name="@invite.code"
        label={widget.label ?? view.place.words.say('register.inviteCode')}
        button={view.place.words.say('register.apply')}
        required={widget.required}
      />
    ),
  products: ({ view, widget }) => <Products view={view} widget={widget} />,
  donation: ({ view, widget }) => <Donation view={view} widget={widget} />,
  sessions: ({ view, widget }) => <Sessions view={view} widget={widget} />,
  guests: ({ view, widget }) => <Guests view={view} widget={widget} />,
  housing: ({ view }) => <p class="muted">{view.place.words.say('register.noRooms')}</p>,
  group: ({ view, widget }) => {
    const { say } = view.place.words
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
            error={errorAt(view, '@group.code')}
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
            error={errorAt(view, '@group.name')}
            autocomplete="off"
          />
        )}
      </>
    )
  },
  companyProfile: ({ view, widget }) => <CustomFields view={view} fields={widget.fields} />,
  boothRequest: ({ view }) => <p class="muted">{view.place.words.say('register.noBooths')}</p>,
  submission: ({ view, widget }) => <CustomFields view={view} fields={widget.fields} />,
  policy: ({ view, widget }) => <Policy view={view} widget={widget} />,
  sharing: ({ view, widget }) => <Sharing view={view} widget={widget} />,
  discountCode: ({ view, widget }) => {
    const { say } = view.place.words
    return (
      <WithButton
        view={view}
        name="@discount.code"
        label={widget.label ?? say('register.discountCode')}
        button={say('register.apply')}
        {...discountOf(view)}
      />
    )
  },
  orderSummary: ({ view }) => <OrderLines view={view} />,
  payment: ({ view, widget }) => (
    <>
      <Methods
        view={view}
        chosen={view.valueOf(FIELDS.method)[0] ?? view.progress.kept.method ?? (view.methods.length === 1 ? view.methods[0]! : '')}
      />
      {widget.terms ? <p class="small muted">{widget.terms}</p> : null}
    </>
  ),
  answersReview: ({ view, widget }) => <AnswersTable view={view} only={widget.pages} />,
  confirmation: ({ widget }) => <Prose html={widget.body} />,
  redirect: ({ view, widget }) => (
    <p>
      <a class="button" href={widget.url}>
        {view.place.words.say('register.redirect', { host: new URL(widget.url).host })}
      </a>
    </p>
  ),
}

const CustomFields = ({ view, fields }: { view: View; fields: readonly string[] }) => (
  <>
    {fields.map((code) => (
      <Asked view={view} question={{ binding: `@custom.${code}`, required: false }} />
    ))}
  </>
)

export const Drawn = ({ view, widget }: { view: View; widget: Widget }) => {
  const draw = DRAWN[widget.type] as Draw<WidgetType>
  return (
    <div class={widget.width === 'full' ? undefined : widget.width} id={`w-${widget.id}`}>
      <input type="hidden" name={FIELDS.shown} value={widget.id} />
      {draw({ view, widget })}
    </div>
  )
}
