import type { Child } from 'hono/jsx'
import type { SelectOption } from './forms.tsx'
import { MobileCollapsibleSection } from './parts.tsx'
import { formatCodeAsWords } from './plain-words.ts'

export interface ListFilterField {
  name: string
  label: string
  value: string | undefined
  /** The options of the filter. Without options the filter is a text field. */
  options?: readonly (string | SelectOption)[]
  /** Label of the empty option, if it differs from the label of the filter. */
  any?: string
}

export interface SearchBarProps {
  action: string
  /** The search field. Lists without one have filters only. */
  search?: { label: string; placeholder: string; value: string | undefined }
  filters?: readonly ListFilterField[]
  /** Further values to submit with the search, by name. They are not shown. */
  kept?: Readonly<Record<string, string | undefined>>
}

const FilterField = ({ name, label, value, options, any = label }: ListFilterField) => (
  <>
    <label class="hidden" for={name}>
      {label}
    </label>
    {options ? (
      <select id={name} name={name}>
        <option value="">{any}</option>
        {options
          .map((option) => (typeof option === 'string' ? { value: option, label: option } : option))
          .map((option) => (
            <option value={option.value} selected={option.value === value}>
              {option.label}
            </option>
          ))}
      </select>
    ) : (
      <input id={name} name={name} type="text" value={value} placeholder={label} />
    )}
  </>
)

/** Whether the value of a filter is one of its options. */
export const hasKnownFilterValue = ({ value, options }: ListFilterField): boolean =>
  options === undefined || options.some((option) => (typeof option === 'string' ? option : option.value) === value)

/** The status filter of a list. */
export const buildStatusFilter = (options: readonly string[], value: string | undefined): ListFilterField => ({
  name: 'status',
  label: 'Status',
  any: 'Any status',
  options: options.map((status) => ({ value: status, label: formatCodeAsWords(status) })),
  value,
})

/** Maximum number of filters that are always visible on phones. Longer lists of filters are collapsed there. */
const MAX_UNFOLDED_FILTERS = 2

/** Collapses filters on phones. They are expanded while one of them is active. */
export const CollapsedFilters = ({ active, children }: { active: number; children: Child }) => (
  <MobileCollapsibleSection title={`Filters${active > 0 ? ` (${active})` : ''}`} open={active > 0}>
    {children}
  </MobileCollapsibleSection>
)

const Filters = ({ filters }: { filters: readonly ListFilterField[] }) => {
  const fields = filters.map((filter) => <FilterField {...filter} />)
  if (filters.length <= MAX_UNFOLDED_FILTERS) return <>{fields}</>
  return (
    <CollapsedFilters active={filters.filter((filter) => filter.value && hasKnownFilterValue(filter)).length}>
      <div class="folded-row">{fields}</div>
    </CollapsedFilters>
  )
}

/** Search and filters for a list. A GET form, so that the URL of the results can be shared. */
export const SearchBar = ({ action, search, filters = [], kept = {} }: SearchBarProps) => (
  <form method="get" action={action} class="search card-pad" role="search">
    {Object.entries(kept).map(([name, value]) => (value ? <input type="hidden" name={name} value={value} /> : null))}
    {search ? (
      <>
        <label class="hidden" for="search">
          {search.label}
        </label>
        <input id="search" name="search" type="search" value={search.value} placeholder={search.placeholder} />
      </>
    ) : null}
    <Filters filters={filters} />
    <button type="submit" class="button">
      {search ? 'Search' : 'Filter'}
    </button>
  </form>
)
