import { contractOf } from '../contract.ts'

contractOf('automation')
