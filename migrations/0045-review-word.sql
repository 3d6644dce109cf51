-- Words of reviews over periods.

create table core.fact_review_word (
  app_key          integer     not null,
  period_start     date        not null,
  period_end       date        not null,
  country_key      smallint    not null,
  language_code    text        not null,
  word             text        not null,
  kind             text        not null,
  facet            text        not null,
  occurrence_count bigint,
  review_count     bigint,
  average_rating   numeric,
  facet_count      numeric,
  rating           integer,
  trend_day        date,
  extra            jsonb,
  slice_id         bigint      not null,
  fetched_at       timestamptz not null,
  primary key (app_key, period_start, period_end, country_key, language_code, word, kind, facet)
) partition by range (period_start);
comment on table  core.fact_review_word                  is 'Words of the reviews of an app over a period: one row for the word (kind word), one for each rating of its reviews (sentiment) and one for each date (trend). Always choose one kind: the row of the word already includes the others.';
comment on column core.fact_review_word.period_start     is 'First day of the period.';
comment on column core.fact_review_word.period_end       is 'Last requested day of the period. The service does not document whether it is inclusive; rows of kind trend show it.';
comment on column core.fact_review_word.country_key      is 'Country of the reviews (iOS); 0 (ALL) for all together, and on Android.';
comment on column core.fact_review_word.language_code    is 'Language of the reviews (Android) in lower case; '''' for all together, and on iOS.';
comment on column core.fact_review_word.word             is 'The word, in the format of the service.';
comment on column core.fact_review_word.kind             is 'word: the whole period; sentiment: the reviews with one rating; trend: the reviews of one date.';
comment on column core.fact_review_word.facet            is 'Rating (sentiment) or date (trend) in the format of the service; '''' for the whole period.';
comment on column core.fact_review_word.occurrence_count is 'How often the word occurs; only for the whole period.';
comment on column core.fact_review_word.review_count     is 'Reviews with the word; only for the whole period.';
comment on column core.fact_review_word.average_rating   is 'Average rating of the reviews with the word; only for the whole period.';
comment on column core.fact_review_word.facet_count      is 'Number for this rating or date; null for the whole period.';
comment on column core.fact_review_word.rating           is 'Stars, 1 to 5, of a row of kind sentiment; null if the rating is in another format.';
comment on column core.fact_review_word.trend_day        is 'Day of a row of kind trend; null if the date is in another format.';
comment on column core.fact_review_word.extra            is 'Fields of the answer without a column of their own, on the word''s own row; null when there are none.';
select ops.add_foreign_keys('core.fact_review_word');
select ops.comment_columns('core.fact_review_word');
