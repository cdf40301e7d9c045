import { raw } from 'hono/html'
import { MOST_SIZES, sizesFor } from '../../../domains/checkout/booth-request.ts'
import { FIELDS } from '../../../domains/checkout/sent-page.ts'
import type { WidgetOf } from '../../../domains/configuration/schema/widgets.ts'
import type { FreeBooth } from '../../../domains/exhibitors/booths-for-applying.ts'
import { formatNumber } from '../../../kernel/language/format.ts'
import { Checkbox, Input, Select } from '../components/forms.tsx'
import { Group } from './fields.tsx'
import { errorAt, type View } from './view.ts'

/** What a company asks for: sizes and booths in their order. The plan is a picture, and all that it says is in the list below. */
export function BoothRequest({ view, widget }: { view: View; widget: WidgetOf<'boothRequest'> }) {
  const { say } = view.place.words
  const { booths, progress } = view
  if (!booths) return null
  const kept = progress.kept.booth_request
  const sizes = sizesFor({ config: view.config }, widget)
  const choices = [{ value: '', label: say('field.choose') }, ...sizes.map(({ code, name }) => ({ value: code, label: name }))]
  const ranks = (most: number) => Array.from({ length: most }, (_, index) => index + 1)
  const wasSent = view.valueOf(FIELDS.boothOther).length > 0
  return (
    <Group field={{ name: `booth-${widget.id}`, label: say('booth.title'), help: say('booth.help') }}>
      {booths.plans.map(({ svg }) => (
        <div class="plan">{raw(svg)}</div>
      ))}
      {booths.free.length > 0 ? <FreeList view={view} free={booths.free} /> : null}
      <div class="days-search">
        {ranks(Math.min(MOST_SIZES, sizes.length)).map((rank) => (
          <Select
            name={FIELDS.boothSize(rank)}
            label={say('booth.size', { rank })}
            value={view.valueOf(FIELDS.boothSize(rank))[0] ?? kept?.sizes[rank - 1] ?? ''}
            options={choices}
            optional={rank === 1 ? undefined : say('field.optional')}
          />
        ))}
        {booths.free.length > 0
          ? ranks(widget.maxPreferences).map((rank) => (
              <Input
                name={FIELDS.boothNumber(rank)}
                label={say('booth.number', { rank })}
                value={view.valueOf(FIELDS.boothNumber(rank))[0] ?? kept?.boothNumbers[rank - 1] ?? ''}
                optional={say('field.optional')}
                autocomplete="off"
                maxlength={12}
                error={errorAt(view, FIELDS.boothNumber(rank))}
              />
            ))
          : null}
      </div>
      <Checkbox
        name={FIELDS.boothOther}
        value="true"
        label={say('booth.other')}
        checked={wasSent ? view.valueOf(FIELDS.boothOther)[0] === 'true' : (kept?.acceptOther ?? true)}
      />
    </Group>
  )
}

function FreeList({ view, free }: { view: View; free: readonly FreeBooth[] }) {
  const { say, locale } = view.place.words
  const sizes = new Map(view.config.exhibitorConfig.boothSizes.map(({ code, name }) => [code, name]))
  return (
    <details>
      <summary>{say('booth.free', { count: free.length })}</summary>
      <div class="table-wrap">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{say('booth.booth')}</th>
              <th scope="col">{say('booth.measures')}</th>
              <th scope="col">{say('booth.where')}</th>
            </tr>
          </thead>
          <tbody>
            {free.map(({ number, width, depth, units, sizeCode, zone, plan }) => (
              <tr>
                <th scope="row">{number}</th>
                <td>
                  {formatNumber(locale, width)} × {formatNumber(locale, depth)} {units}
                  {sizeCode ? ` (${sizes.get(sizeCode) ?? sizeCode})` : null}
                </td>
                <td>{[zone, plan].filter(Boolean).join(', ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
