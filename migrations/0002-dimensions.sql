-- Dimensions: countries, devices, dates, apps, keywords.

create table core.dim_country (
  country_key  smallint primary key,
  country_code text     not null unique,
  alpha3_code  text     not null,
  country_name text     not null,
  region       text     not null,
  subregion    text     not null
);
comment on table  core.dim_country              is 'Countries by ISO 3166-1; key 0 (ALL) stands for every country together.';
comment on column core.dim_country.country_key  is 'ISO 3166-1 numeric code; 1000 and above for two-letter codes that ISO has not numbered.';
comment on column core.dim_country.country_code is 'ISO 3166-1 alpha-2, upper case, as the API writes it; ALL for the total.';
comment on column core.dim_country.alpha3_code  is 'ISO 3166-1 alpha-3.';
comment on column core.dim_country.country_name is 'Common English name.';
comment on column core.dim_country.region       is 'Continent-sized region after UN M49.';
comment on column core.dim_country.subregion    is 'Subregion after UN M49.';

insert into core.dim_country (country_key, country_code, alpha3_code, country_name, region, subregion) values
  (0, 'ALL', 'ALL', 'All countries', 'All', 'All'),
  (20, 'AD', 'AND', 'Andorra', 'Europe', 'Southern Europe'),
  (784, 'AE', 'ARE', 'United Arab Emirates', 'Asia', 'Western Asia'),
  (4, 'AF', 'AFG', 'Afghanistan', 'Asia', 'Southern Asia'),
  (28, 'AG', 'ATG', 'Antigua and Barbuda', 'Americas', 'Caribbean'),
  (660, 'AI', 'AIA', 'Anguilla', 'Americas', 'Caribbean'),
  (8, 'AL', 'ALB', 'Albania', 'Europe', 'Southeast Europe'),
  (51, 'AM', 'ARM', 'Armenia', 'Asia', 'Western Asia'),
  (24, 'AO', 'AGO', 'Angola', 'Africa', 'Middle Africa'),
  (10, 'AQ', 'ATA', 'Antarctica', 'Antarctic', 'Antarctic'),
  (32, 'AR', 'ARG', 'Argentina', 'Americas', 'South America'),
  (16, 'AS', 'ASM', 'American Samoa', 'Oceania', 'Polynesia'),
  (40, 'AT', 'AUT', 'Austria', 'Europe', 'Central Europe'),
  (36, 'AU', 'AUS', 'Australia', 'Oceania', 'Australia and New Zealand'),
  (533, 'AW', 'ABW', 'Aruba', 'Americas', 'Caribbean'),
  (248, 'AX', 'ALA', 'Åland Islands', 'Europe', 'Northern Europe'),
  (31, 'AZ', 'AZE', 'Azerbaijan', 'Asia', 'Western Asia'),
  (70, 'BA', 'BIH', 'Bosnia and Herzegovina', 'Europe', 'Southeast Europe'),
  (52, 'BB', 'BRB', 'Barbados', 'Americas', 'Caribbean'),
  (50, 'BD', 'BGD', 'Bangladesh', 'Asia', 'Southern Asia'),
  (56, 'BE', 'BEL', 'Belgium', 'Europe', 'Western Europe'),
  (854, 'BF', 'BFA', 'Burkina Faso', 'Africa', 'Western Africa'),
  (100, 'BG', 'BGR', 'Bulgaria', 'Europe', 'Southeast Europe'),
  (48, 'BH', 'BHR', 'Bahrain', 'Asia', 'Western Asia'),
  (108, 'BI', 'BDI', 'Burundi', 'Africa', 'Eastern Africa'),
  (204, 'BJ', 'BEN', 'Benin', 'Africa', 'Western Africa'),
  (652, 'BL', 'BLM', 'Saint Barthélemy', 'Americas', 'Caribbean'),
  (60, 'BM', 'BMU', 'Bermuda', 'Americas', 'North America'),
  (96, 'BN', 'BRN', 'Brunei', 'Asia', 'South-Eastern Asia'),
  (68, 'BO', 'BOL', 'Bolivia', 'Americas', 'South America'),
  (535, 'BQ', 'BES', 'Caribbean Netherlands', 'Americas', 'Caribbean'),
  (76, 'BR', 'BRA', 'Brazil', 'Americas', 'South America'),
  (44, 'BS', 'BHS', 'Bahamas', 'Americas', 'Caribbean'),
  (64, 'BT', 'BTN', 'Bhutan', 'Asia', 'Southern Asia'),
  (74, 'BV', 'BVT', 'Bouvet Island', 'Antarctic', 'Antarctic'),
  (72, 'BW', 'BWA', 'Botswana', 'Africa', 'Southern Africa'),
  (112, 'BY', 'BLR', 'Belarus', 'Europe', 'Eastern Europe'),
  (84, 'BZ', 'BLZ', 'Belize', 'Americas', 'Central America'),
  (124, 'CA', 'CAN', 'Canada', 'Americas', 'North America'),
  (166, 'CC', 'CCK', 'Cocos (Keeling) Islands', 'Oceania', 'Australia and New Zealand'),
  (180, 'CD', 'COD', 'DR Congo', 'Africa', 'Middle Africa'),
  (140, 'CF', 'CAF', 'Central African Republic', 'Africa', 'Middle Africa'),
  (178, 'CG', 'COG', 'Republic of the Congo', 'Africa', 'Middle Africa'),
  (756, 'CH', 'CHE', 'Switzerland', 'Europe', 'Western Europe'),
  (384, 'CI', 'CIV', 'Ivory Coast', 'Africa', 'Western Africa'),
  (184, 'CK', 'COK', 'Cook Islands', 'Oceania', 'Polynesia'),
  (152, 'CL', 'CHL', 'Chile', 'Americas', 'South America'),
  (120, 'CM', 'CMR', 'Cameroon', 'Africa', 'Middle Africa'),
  (156, 'CN', 'CHN', 'China', 'Asia', 'Eastern Asia'),
  (170, 'CO', 'COL', 'Colombia', 'Americas', 'South America'),
  (188, 'CR', 'CRI', 'Costa Rica', 'Americas', 'Central America'),
  (192, 'CU', 'CUB', 'Cuba', 'Americas', 'Caribbean'),
  (132, 'CV', 'CPV', 'Cape Verde', 'Africa', 'Western Africa'),
  (531, 'CW', 'CUW', 'Curaçao', 'Americas', 'Caribbean'),
  (162, 'CX', 'CXR', 'Christmas Island', 'Oceania', 'Australia and New Zealand'),
  (196, 'CY', 'CYP', 'Cyprus', 'Europe', 'Southern Europe'),
  (203, 'CZ', 'CZE', 'Czechia', 'Europe', 'Central Europe'),
  (276, 'DE', 'DEU', 'Germany', 'Europe', 'Western Europe'),
  (262, 'DJ', 'DJI', 'Djibouti', 'Africa', 'Eastern Africa'),
  (208, 'DK', 'DNK', 'Denmark', 'Europe', 'Northern Europe'),
  (212, 'DM', 'DMA', 'Dominica', 'Americas', 'Caribbean'),
  (214, 'DO', 'DOM', 'Dominican Republic', 'Americas', 'Caribbean'),
  (12, 'DZ', 'DZA', 'Algeria', 'Africa', 'Northern Africa'),
  (218, 'EC', 'ECU', 'Ecuador', 'Americas', 'South America'),
  (233, 'EE', 'EST', 'Estonia', 'Europe', 'Northern Europe'),
  (818, 'EG', 'EGY', 'Egypt', 'Africa', 'Northern Africa'),
  (732, 'EH', 'ESH', 'Western Sahara', 'Africa', 'Northern Africa'),
  (232, 'ER', 'ERI', 'Eritrea', 'Africa', 'Eastern Africa'),
  (724, 'ES', 'ESP', 'Spain', 'Europe', 'Southern Europe'),
  (231, 'ET', 'ETH', 'Ethiopia', 'Africa', 'Eastern Africa'),
  (246, 'FI', 'FIN', 'Finland', 'Europe', 'Northern Europe'),
  (242, 'FJ', 'FJI', 'Fiji', 'Oceania', 'Melanesia'),
  (238, 'FK', 'FLK', 'Falkland Islands', 'Americas', 'South America'),
  (583, 'FM', 'FSM', 'Micronesia', 'Oceania', 'Micronesia'),
  (234, 'FO', 'FRO', 'Faroe Islands', 'Europe', 'Northern Europe'),
  (250, 'FR', 'FRA', 'France', 'Europe', 'Western Europe'),
  (266, 'GA', 'GAB', 'Gabon', 'Africa', 'Middle Africa'),
  (826, 'GB', 'GBR', 'United Kingdom', 'Europe', 'Northern Europe'),
  (308, 'GD', 'GRD', 'Grenada', 'Americas', 'Caribbean'),
  (268, 'GE', 'GEO', 'Georgia', 'Asia', 'Western Asia'),
  (254, 'GF', 'GUF', 'French Guiana', 'Americas', 'South America'),
  (831, 'GG', 'GGY', 'Guernsey', 'Europe', 'Northern Europe'),
  (288, 'GH', 'GHA', 'Ghana', 'Africa', 'Western Africa'),
  (292, 'GI', 'GIB', 'Gibraltar', 'Europe', 'Southern Europe'),
  (304, 'GL', 'GRL', 'Greenland', 'Americas', 'North America'),
  (270, 'GM', 'GMB', 'Gambia', 'Africa', 'Western Africa'),
  (324, 'GN', 'GIN', 'Guinea', 'Africa', 'Western Africa'),
  (312, 'GP', 'GLP', 'Guadeloupe', 'Americas', 'Caribbean'),
  (226, 'GQ', 'GNQ', 'Equatorial Guinea', 'Africa', 'Middle Africa'),
  (300, 'GR', 'GRC', 'Greece', 'Europe', 'Southern Europe'),
  (239, 'GS', 'SGS', 'South Georgia', 'Antarctic', 'Antarctic'),
  (320, 'GT', 'GTM', 'Guatemala', 'Americas', 'Central America'),
  (316, 'GU', 'GUM', 'Guam', 'Oceania', 'Micronesia'),
  (624, 'GW', 'GNB', 'Guinea-Bissau', 'Africa', 'Western Africa'),
  (328, 'GY', 'GUY', 'Guyana', 'Americas', 'South America'),
  (344, 'HK', 'HKG', 'Hong Kong', 'Asia', 'Eastern Asia'),
  (334, 'HM', 'HMD', 'Heard Island and McDonald Islands', 'Antarctic', 'Antarctic'),
  (340, 'HN', 'HND', 'Honduras', 'Americas', 'Central America'),
  (191, 'HR', 'HRV', 'Croatia', 'Europe', 'Southeast Europe'),
  (332, 'HT', 'HTI', 'Haiti', 'Americas', 'Caribbean'),
  (348, 'HU', 'HUN', 'Hungary', 'Europe', 'Central Europe'),
  (360, 'ID', 'IDN', 'Indonesia', 'Asia', 'South-Eastern Asia'),
  (372, 'IE', 'IRL', 'Ireland', 'Europe', 'Northern Europe'),
  (376, 'IL', 'ISR', 'Israel', 'Asia', 'Western Asia'),
  (833, 'IM', 'IMN', 'Isle of Man', 'Europe', 'Northern Europe'),
  (356, 'IN', 'IND', 'India', 'Asia', 'Southern Asia'),
  (86, 'IO', 'IOT', 'British Indian Ocean Territory', 'Africa', 'Eastern Africa'),
  (368, 'IQ', 'IRQ', 'Iraq', 'Asia', 'Western Asia'),
  (364, 'IR', 'IRN', 'Iran', 'Asia', 'Southern Asia'),
  (352, 'IS', 'ISL', 'Iceland', 'Europe', 'Northern Europe'),
  (380, 'IT', 'ITA', 'Italy', 'Europe', 'Southern Europe'),
  (832, 'JE', 'JEY', 'Jersey', 'Europe', 'Northern Europe'),
  (388, 'JM', 'JAM', 'Jamaica', 'Americas', 'Caribbean'),
  (400, 'JO', 'JOR', 'Jordan', 'Asia', 'Western Asia'),
  (392, 'JP', 'JPN', 'Japan', 'Asia', 'Eastern Asia'),
  (404, 'KE', 'KEN', 'Kenya', 'Africa', 'Eastern Africa'),
  (417, 'KG', 'KGZ', 'Kyrgyzstan', 'Asia', 'Central Asia'),
  (116, 'KH', 'KHM', 'Cambodia', 'Asia', 'South-Eastern Asia'),
  (296, 'KI', 'KIR', 'Kiribati', 'Oceania', 'Micronesia'),
  (174, 'KM', 'COM', 'Comoros', 'Africa', 'Eastern Africa'),
  (659, 'KN', 'KNA', 'Saint Kitts and Nevis', 'Americas', 'Caribbean'),
  (408, 'KP', 'PRK', 'North Korea', 'Asia', 'Eastern Asia'),
  (410, 'KR', 'KOR', 'South Korea', 'Asia', 'Eastern Asia'),
  (414, 'KW', 'KWT', 'Kuwait', 'Asia', 'Western Asia'),
  (136, 'KY', 'CYM', 'Cayman Islands', 'Americas', 'Caribbean'),
  (398, 'KZ', 'KAZ', 'Kazakhstan', 'Asia', 'Central Asia'),
  (418, 'LA', 'LAO', 'Laos', 'Asia', 'South-Eastern Asia'),
  (422, 'LB', 'LBN', 'Lebanon', 'Asia', 'Western Asia'),
  (662, 'LC', 'LCA', 'Saint Lucia', 'Americas', 'Caribbean'),
  (438, 'LI', 'LIE', 'Liechtenstein', 'Europe', 'Western Europe'),
  (144, 'LK', 'LKA', 'Sri Lanka', 'Asia', 'Southern Asia'),
  (430, 'LR', 'LBR', 'Liberia', 'Africa', 'Western Africa'),
  (426, 'LS', 'LSO', 'Lesotho', 'Africa', 'Southern Africa'),
  (440, 'LT', 'LTU', 'Lithuania', 'Europe', 'Northern Europe'),
  (442, 'LU', 'LUX', 'Luxembourg', 'Europe', 'Western Europe'),
  (428, 'LV', 'LVA', 'Latvia', 'Europe', 'Northern Europe'),
  (434, 'LY', 'LBY', 'Libya', 'Africa', 'Northern Africa'),
  (504, 'MA', 'MAR', 'Morocco', 'Africa', 'Northern Africa'),
  (492, 'MC', 'MCO', 'Monaco', 'Europe', 'Western Europe'),
  (498, 'MD', 'MDA', 'Moldova', 'Europe', 'Eastern Europe'),
  (499, 'ME', 'MNE', 'Montenegro', 'Europe', 'Southeast Europe'),
  (663, 'MF', 'MAF', 'Saint Martin', 'Americas', 'Caribbean'),
  (450, 'MG', 'MDG', 'Madagascar', 'Africa', 'Eastern Africa'),
  (584, 'MH', 'MHL', 'Marshall Islands', 'Oceania', 'Micronesia'),
  (807, 'MK', 'MKD', 'North Macedonia', 'Europe', 'Southeast Europe'),
  (466, 'ML', 'MLI', 'Mali', 'Africa', 'Western Africa'),
  (104, 'MM', 'MMR', 'Myanmar', 'Asia', 'South-Eastern Asia'),
  (496, 'MN', 'MNG', 'Mongolia', 'Asia', 'Eastern Asia'),
  (446, 'MO', 'MAC', 'Macau', 'Asia', 'Eastern Asia'),
  (580, 'MP', 'MNP', 'Northern Mariana Islands', 'Oceania', 'Micronesia'),
  (474, 'MQ', 'MTQ', 'Martinique', 'Americas', 'Caribbean'),
  (478, 'MR', 'MRT', 'Mauritania', 'Africa', 'Western Africa'),
  (500, 'MS', 'MSR', 'Montserrat', 'Americas', 'Caribbean'),
  (470, 'MT', 'MLT', 'Malta', 'Europe', 'Southern Europe'),
  (480, 'MU', 'MUS', 'Mauritius', 'Africa', 'Eastern Africa'),
  (462, 'MV', 'MDV', 'Maldives', 'Asia', 'Southern Asia'),
  (454, 'MW', 'MWI', 'Malawi', 'Africa', 'Eastern Africa'),
  (484, 'MX', 'MEX', 'Mexico', 'Americas', 'North America'),
  (458, 'MY', 'MYS', 'Malaysia', 'Asia', 'South-Eastern Asia'),
  (508, 'MZ', 'MOZ', 'Mozambique', 'Africa', 'Eastern Africa'),
  (516, 'NA', 'NAM', 'Namibia', 'Africa', 'Southern Africa'),
  (540, 'NC', 'NCL', 'New Caledonia', 'Oceania', 'Melanesia'),
  (562, 'NE', 'NER', 'Niger', 'Africa', 'Western Africa'),
  (574, 'NF', 'NFK', 'Norfolk Island', 'Oceania', 'Australia and New Zealand'),
  (566, 'NG', 'NGA', 'Nigeria', 'Africa', 'Western Africa'),
  (558, 'NI', 'NIC', 'Nicaragua', 'Americas', 'Central America'),
  (528, 'NL', 'NLD', 'Netherlands', 'Europe', 'Western Europe'),
  (578, 'NO', 'NOR', 'Norway', 'Europe', 'Northern Europe'),
  (524, 'NP', 'NPL', 'Nepal', 'Asia', 'Southern Asia'),
  (520, 'NR', 'NRU', 'Nauru', 'Oceania', 'Micronesia'),
  (570, 'NU', 'NIU', 'Niue', 'Oceania', 'Polynesia'),
  (554, 'NZ', 'NZL', 'New Zealand', 'Oceania', 'Australia and New Zealand'),
  (512, 'OM', 'OMN', 'Oman', 'Asia', 'Western Asia'),
  (591, 'PA', 'PAN', 'Panama', 'Americas', 'Central America'),
  (604, 'PE', 'PER', 'Peru', 'Americas', 'South America'),
  (258, 'PF', 'PYF', 'French Polynesia', 'Oceania', 'Polynesia'),
  (598, 'PG', 'PNG', 'Papua New Guinea', 'Oceania', 'Melanesia'),
  (608, 'PH', 'PHL', 'Philippines', 'Asia', 'South-Eastern Asia'),
  (586, 'PK', 'PAK', 'Pakistan', 'Asia', 'Southern Asia'),
  (616, 'PL', 'POL', 'Poland', 'Europe', 'Central Europe'),
  (666, 'PM', 'SPM', 'Saint Pierre and Miquelon', 'Americas', 'North America'),
  (612, 'PN', 'PCN', 'Pitcairn Islands', 'Oceania', 'Polynesia'),
  (630, 'PR', 'PRI', 'Puerto Rico', 'Americas', 'Caribbean'),
  (275, 'PS', 'PSE', 'Palestine', 'Asia', 'Western Asia'),
  (620, 'PT', 'PRT', 'Portugal', 'Europe', 'Southern Europe'),
  (585, 'PW', 'PLW', 'Palau', 'Oceania', 'Micronesia'),
  (600, 'PY', 'PRY', 'Paraguay', 'Americas', 'South America'),
  (634, 'QA', 'QAT', 'Qatar', 'Asia', 'Western Asia'),
  (638, 'RE', 'REU', 'Réunion', 'Africa', 'Eastern Africa'),
  (642, 'RO', 'ROU', 'Romania', 'Europe', 'Southeast Europe'),
  (688, 'RS', 'SRB', 'Serbia', 'Europe', 'Southeast Europe'),
  (643, 'RU', 'RUS', 'Russia', 'Europe', 'Eastern Europe'),
  (646, 'RW', 'RWA', 'Rwanda', 'Africa', 'Eastern Africa'),
  (682, 'SA', 'SAU', 'Saudi Arabia', 'Asia', 'Western Asia'),
  (90, 'SB', 'SLB', 'Solomon Islands', 'Oceania', 'Melanesia'),
  (690, 'SC', 'SYC', 'Seychelles', 'Africa', 'Eastern Africa'),
  (729, 'SD', 'SDN', 'Sudan', 'Africa', 'Northern Africa'),
  (752, 'SE', 'SWE', 'Sweden', 'Europe', 'Northern Europe'),
  (702, 'SG', 'SGP', 'Singapore', 'Asia', 'South-Eastern Asia'),
  (654, 'SH', 'SHN', 'Saint Helena, Ascension and Tristan da Cunha', 'Africa', 'Western Africa'),
  (705, 'SI', 'SVN', 'Slovenia', 'Europe', 'Central Europe'),
  (744, 'SJ', 'SJM', 'Svalbard and Jan Mayen', 'Europe', 'Northern Europe'),
  (703, 'SK', 'SVK', 'Slovakia', 'Europe', 'Central Europe'),
  (694, 'SL', 'SLE', 'Sierra Leone', 'Africa', 'Western Africa'),
  (674, 'SM', 'SMR', 'San Marino', 'Europe', 'Southern Europe'),
  (686, 'SN', 'SEN', 'Senegal', 'Africa', 'Western Africa'),
  (706, 'SO', 'SOM', 'Somalia', 'Africa', 'Eastern Africa'),
  (740, 'SR', 'SUR', 'Suriname', 'Americas', 'South America'),
  (728, 'SS', 'SSD', 'South Sudan', 'Africa', 'Middle Africa'),
  (678, 'ST', 'STP', 'São Tomé and Príncipe', 'Africa', 'Middle Africa'),
  (222, 'SV', 'SLV', 'El Salvador', 'Americas', 'Central America'),
  (534, 'SX', 'SXM', 'Sint Maarten', 'Americas', 'Caribbean'),
  (760, 'SY', 'SYR', 'Syria', 'Asia', 'Western Asia'),
  (748, 'SZ', 'SWZ', 'Eswatini', 'Africa', 'Southern Africa'),
  (796, 'TC', 'TCA', 'Turks and Caicos Islands', 'Americas', 'Caribbean'),
  (148, 'TD', 'TCD', 'Chad', 'Africa', 'Middle Africa'),
  (260, 'TF', 'ATF', 'French Southern and Antarctic Lands', 'Antarctic', 'Antarctic'),
  (768, 'TG', 'TGO', 'Togo', 'Africa', 'Western Africa'),
  (764, 'TH', 'THA', 'Thailand', 'Asia', 'South-Eastern Asia'),
  (762, 'TJ', 'TJK', 'Tajikistan', 'Asia', 'Central Asia'),
  (772, 'TK', 'TKL', 'Tokelau', 'Oceania', 'Polynesia'),
  (626, 'TL', 'TLS', 'Timor-Leste', 'Asia', 'South-Eastern Asia'),
  (795, 'TM', 'TKM', 'Turkmenistan', 'Asia', 'Central Asia'),
  (788, 'TN', 'TUN', 'Tunisia', 'Africa', 'Northern Africa'),
  (776, 'TO', 'TON', 'Tonga', 'Oceania', 'Polynesia'),
  (792, 'TR', 'TUR', 'Türkiye', 'Asia', 'Western Asia'),
  (780, 'TT', 'TTO', 'Trinidad and Tobago', 'Americas', 'Caribbean'),
  (798, 'TV', 'TUV', 'Tuvalu', 'Oceania', 'Polynesia'),
  (158, 'TW', 'TWN', 'Taiwan', 'Asia', 'Eastern Asia'),
  (834, 'TZ', 'TZA', 'Tanzania', 'Africa', 'Eastern Africa'),
  (804, 'UA', 'UKR', 'Ukraine', 'Europe', 'Eastern Europe'),
  (800, 'UG', 'UGA', 'Uganda', 'Africa', 'Eastern Africa'),
  (581, 'UM', 'UMI', 'United States Minor Outlying Islands', 'Americas', 'North America'),
  (840, 'US', 'USA', 'United States', 'Americas', 'North America'),
  (858, 'UY', 'URY', 'Uruguay', 'Americas', 'South America'),
  (860, 'UZ', 'UZB', 'Uzbekistan', 'Asia', 'Central Asia'),
  (336, 'VA', 'VAT', 'Vatican City', 'Europe', 'Southern Europe'),
  (670, 'VC', 'VCT', 'Saint Vincent and the Grenadines', 'Americas', 'Caribbean'),
  (862, 'VE', 'VEN', 'Venezuela', 'Americas', 'South America'),
  (92, 'VG', 'VGB', 'British Virgin Islands', 'Americas', 'Caribbean'),
  (850, 'VI', 'VIR', 'United States Virgin Islands', 'Americas', 'Caribbean'),
  (704, 'VN', 'VNM', 'Vietnam', 'Asia', 'South-Eastern Asia'),
  (548, 'VU', 'VUT', 'Vanuatu', 'Oceania', 'Melanesia'),
  (876, 'WF', 'WLF', 'Wallis and Futuna', 'Oceania', 'Polynesia'),
  (882, 'WS', 'WSM', 'Samoa', 'Oceania', 'Polynesia'),
  (1608, 'XK', 'XKX', 'Kosovo', 'Europe', 'Southern Europe'),
  (887, 'YE', 'YEM', 'Yemen', 'Asia', 'Western Asia'),
  (175, 'YT', 'MYT', 'Mayotte', 'Africa', 'Eastern Africa'),
  (710, 'ZA', 'ZAF', 'South Africa', 'Africa', 'Southern Africa'),
  (894, 'ZM', 'ZMB', 'Zambia', 'Africa', 'Eastern Africa'),
  (716, 'ZW', 'ZWE', 'Zimbabwe', 'Africa', 'Eastern Africa');

create table core.dim_device (
  device_key  smallint primary key,
  device_code text     not null unique,
  device_name text     not null
);
comment on table  core.dim_device             is 'Devices that the stores tell apart.';
comment on column core.dim_device.device_key  is 'Fixed number of the device; 0 where the store tells none apart.';
comment on column core.dim_device.device_code is 'The code the API uses (IPHONE, IPAD); ALL where the store tells none apart.';
comment on column core.dim_device.device_name is 'Name for people.';

insert into core.dim_device (device_key, device_code, device_name) values
  (0, 'ALL', 'All devices'), (1, 'IPHONE', 'iPhone'), (2, 'IPAD', 'iPad');

create table core.dim_date (
  date_day    date     primary key,
  year        smallint not null,
  quarter     smallint not null,
  month       smallint not null,
  month_start date     not null,
  iso_year    smallint not null,
  iso_week    smallint not null,
  week_start  date     not null,
  day_of_week smallint not null,
  is_weekend  boolean  not null
);
comment on table  core.dim_date             is 'Calendar days from 2008 (when the stores opened) to 2049.';
comment on column core.dim_date.date_day    is 'The day.';
comment on column core.dim_date.year        is 'Calendar year.';
comment on column core.dim_date.quarter     is 'Quarter of the calendar year, 1 to 4.';
comment on column core.dim_date.month       is 'Month, 1 to 12.';
comment on column core.dim_date.month_start is 'First day of the month.';
comment on column core.dim_date.iso_year    is 'Year that the ISO week belongs to.';
comment on column core.dim_date.iso_week    is 'ISO week, 1 to 53.';
comment on column core.dim_date.week_start  is 'Monday of the ISO week.';
comment on column core.dim_date.day_of_week is 'ISO day of the week, 1 (Monday) to 7.';
comment on column core.dim_date.is_weekend  is 'True on Saturday and Sunday.';

insert into core.dim_date
select d::date, extract(year from d), extract(quarter from d), extract(month from d), date_trunc('month', d)::date,
       extract(isoyear from d), extract(week from d), date_trunc('week', d)::date, extract(isodow from d), extract(isodow from d) >= 6
from   generate_series(timestamp '2008-01-01', timestamp '2049-12-31', interval '1 day') as d;

create table core.dim_app (
  app_key        integer primary key generated always as identity,
  store          text not null check (store in ('ios', 'android')),
  track_id       text not null,
  app_name       text,
  category_id    text,
  category_name  text,
  icon_url       text,
  price_text     text,
  developer_id   text,
  developer_name text,
  rating         numeric,
  rating_count   bigint,
  slice_id       bigint,
  fetched_at     timestamptz,
  unique (store, track_id)
);
comment on table  core.dim_app                is 'Apps, one row a store and track id, with what was last heard of them.';
comment on column core.dim_app.app_key        is 'Key of the app inside this warehouse.';
comment on column core.dim_app.store          is 'ios or android.';
comment on column core.dim_app.track_id       is 'Track id as text: a number on iOS, a package name on Android.';
comment on column core.dim_app.app_name       is 'Name of the app as last seen.';
comment on column core.dim_app.category_id    is 'Category id; the two stores number their categories on their own, 0 is a real one.';
comment on column core.dim_app.category_name  is 'Name of the category.';
comment on column core.dim_app.icon_url       is 'Address of the icon.';
comment on column core.dim_app.price_text     is 'Price as the store writes it (0.00, Free ...), not a number.';
comment on column core.dim_app.developer_id   is 'Id of the developer in the store.';
comment on column core.dim_app.developer_name is 'Name of the developer.';
comment on column core.dim_app.rating         is 'Average rating, 1 to 5.';
comment on column core.dim_app.rating_count   is 'Number of ratings.';
comment on column core.dim_app.slice_id       is 'Slice that brought the description; null until one was read.';
comment on column core.dim_app.fetched_at     is 'When the description was received; null until one was read.';

create table core.dim_keyword (
  keyword_key integer primary key generated always as identity,
  keyword     text not null unique
);
comment on table  core.dim_keyword             is 'Keywords, letter by letter as they are asked for.';
comment on column core.dim_keyword.keyword_key is 'Key of the keyword inside this warehouse.';
comment on column core.dim_keyword.keyword     is 'The keyword.';
