import type { Child } from 'hono/jsx'

interface SearchBarProps {
  action: string
  label: string
  placeholder: string
  search?: string | undefined
  status?: string | undefined
  /** Left out where the rows have none. */
  statuses?: readonly string[]
  /** Further filters, between the words and the status. */
  children?: Child
}

/** Words, and where there is one a status, to narrow a list by. It is a plain GET, so that what was found can be sent to a colleague. */
export const SearchBar = ({ action, label, placeholder, search, status, statuses, children }: SearchBarProps) => (
  <form method="get" action={action} class="search card-pad" role="search">
    <label class="hidden" for="search">
      {label}
    </label>
    <input id="search" name="search" type="search" value={search} placeholder={placeholder} />
    {children}
    {statuses && (
      <>
        <label class="hidden" for="status">
          Status
        </label>
        <select id="status" name="status">
          <option value="">Any status</option>
          {statuses.map((one) => (
            <option value={one} selected={one === status}>
              {one}
            </option>
          ))}
        </select>
      </>
    )}
    <button type="submit" class="button">
      Search
    </button>
  </form>
)
