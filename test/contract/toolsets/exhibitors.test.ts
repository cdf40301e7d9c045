import { contractOf } from '../contract.ts'

contractOf('exhibitors')
