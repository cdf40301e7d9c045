-- Amounts for programs, as JSON text instead of `json_build_object`: that function is only stable, and PostgreSQL inlines a function into a
-- statement only if its body is as immutable as its declaration. Not inlined, each amount cost as much as reading its row. The text is the
-- same, with the spaces that `json_build_object` writes.
create or replace function money_shown(minor bigint, currency text) returns json language sql immutable parallel safe as $$
  select ('{"amount" : ' || coalesce('"' || case
    when currency in ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF') then minor::text
    when currency in ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') then (minor * 0.001)::text
    else (minor * 0.01)::text end || '"', 'null') || ', "currency" : ' || coalesce('"' || currency || '"', 'null') || '}')::json $$;
