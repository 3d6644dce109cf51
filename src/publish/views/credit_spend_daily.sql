select date_day, account, dataset, operation, class as credit_class, request_count, failed_request_count, booked_credits as credit_count
from   ops.credit_spend_daily
