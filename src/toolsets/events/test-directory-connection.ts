import { toOneLine, code, count, flag, list, object, oneOf, untrustedText, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { limitCallsPerMinute } from '../../domains/access/rate-windows.ts'
import { sendTestLookup, getTestableConnection, saveTestResult } from '../../domains/directories/test-connection.ts'
import { ConnectionTestStep, ConnectionTestInputs } from '../../domains/directories/shapes.ts'
import { CONNECTION_STATUSES } from '../../domains/directories/tables.ts'

const TESTS_PER_MINUTE = 10

export default eventTool({
  name: 'test_directory_connection',
  title: 'Test a directory connection',
  description:
    'Try a live lookup: ask the member database for one person by email or member number (ping end to end: resolve, auth, request, parse, tags) and show the response. A pass makes it ready; 10 a minute. Not for its settings (use describe_directory_connection). Returns steps and outcome.',
  effect: 'change',
  permission: 'events.write',
  openWorld: true,
  input: {
    connection: code(),
    inputs: toOneLine(ConnectionTestInputs, 'email, memberNumber, lastName, postalCode: those the lookup takes'),
    expect: oneOf(['found', 'notFound']).optional(),
    showValues: flag().optional(),
  },
  output: {
    ok: flag(),
    status: oneOf(CONNECTION_STATUSES),
    steps: list(ConnectionTestStep),
    outcome: text(),
    httpStatus: count().nullable(),
    mapped: list(object({ to: text(), present: flag(), type: text(), valid: flag(), value: untrustedText().optional() })),
    tags: list(text()),
    warnings: list(text(1000)),
  },
  prefetch: async (ctx, input) => {
    const connection = await getTestableConnection(ctx, input)
    await limitCallsPerMinute(ctx.db, `directory-test:${connection.id}`, TESTS_PER_MINUTE, 'tests of a directory connection')
    return sendTestLookup(ctx, connection, input)
  },
  run: saveTestResult,
})
