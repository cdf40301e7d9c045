import type { WebContext } from '../../web.ts'

/** Whether the query parameter asks to include test data. */
export const includesTestData = (c: WebContext): boolean => c.req.query('test') === 'yes'

/** Switches between real data only and all data. Two links, so that the URL of either can be shared. */
export const TestDataSwitch = ({ test, here }: { test: boolean; here: string }) => (
  <nav class="switch" aria-label="Test data">
    <a href={here} aria-current={test ? undefined : 'true'}>
      Real data
    </a>
    <a href={`${here}?test=yes`} aria-current={test ? 'true' : undefined}>
      With test data
    </a>
  </nav>
)
